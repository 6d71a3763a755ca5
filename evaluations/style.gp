# What the figures of all evaluations have in common. Set before a script: height (pixels), origin (where the numbers are
# from), data blocks $NAME with NAME_rows rows, and the variables of the figure's `texts`; of these note and note2 become
# lines below the figure. `printed` is 1 for a printed column, whose caption, notes and values stand in the text around it;
# bars have patterns then, to be read without colours.
if (!exists("printed")) printed = 0
caption(text) = printed ? '' : text
below(lines) = printed ? -1 : lines                         # -1: as many as are needed
value_style = printed ? "textcolor rgb '#ff000000'" : ''  # of values at bars and points; ff: invisible;
# as a macro, and macros are not seen behind an apostrophe in double quotes: write \047
set encoding utf8
set border 3
set xtics nomirror
set ytics nomirror
set grid ytics linetype 1 linewidth 1 linecolor rgb '#dddddd'
set key top left Left reverse samplen 2
set style fill solid 1.0 noborder
if (printed) {
  set key tmargin center Left reverse samplen 2
  set style fill pattern 1 border linecolor rgb '#222222'
  set xtics rotate by 90 right
}

# Colours that people with colour-blindness can tell apart (Paul Tol).
blue = '#4477aa'
cyan = '#66ccee'
green = '#228833'
yellow = '#ccbb44'
red = '#ee6677'
purple = '#aa3377'
grey = '#bbbbbb'

foot_y(line) = (12.0 + 17.0 * line) / height
if (!printed) set label origin at screen 0.012, foot_y(0) left font ',8' textcolor rgb '#555555'
if (!printed && exists("note")) set label note at screen 0.012, foot_y(exists("note2") ? 2 : 1) left font ',8' textcolor rgb '#555555'
if (!printed && exists("note2")) set label note2 at screen 0.012, foot_y(1) left font ',8' textcolor rgb '#555555'

# Bar `series` of `count` side by side in group `group`; groups are 1 apart.
bar_width(count) = 0.84 / count
bar_x(group, series, count) = group + (series + 0.5) * bar_width(count) - 0.42
