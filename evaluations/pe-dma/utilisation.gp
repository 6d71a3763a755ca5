set title caption(title) font ',14'
set ylabel 'effective bandwidth / peak [%]'
unset grid
set key horizontal samplen 1.5
set bmargin below(9)
set xtics scale 0
set boxwidth 0.94 * bar_width(2) absolute
set xrange [-0.6:bars_rows - 0.4]
set yrange [0:1.25 * highest]
set ytics 0,20,140
set object rectangle from graph 0, first 0 to graph 1, first 40 behind fillcolor rgb '#fbe9e7' fillstyle noborder
set object rectangle from graph 0, first 40 to graph 1, first 70 behind fillcolor rgb '#fdf6de' fillstyle noborder
set object rectangle from graph 0, first 70 to graph 1, first 100 behind fillcolor rgb '#e9f5ea' fillstyle noborder
set arrow from graph 0, first 100 to graph 1, first 100 nohead back linecolor rgb '#888888' dashtype 2
plot $bars using (bar_x($0, 0, 2)):2 with boxes linecolor rgb blue title "of a single path\047s peak", \
     '' using (bar_x($0, 0, 2)):2:4 with labels @value_style offset 0,0.5 font ',7' notitle, \
     '' using (bar_x($0, 1, 2)):3 with boxes linecolor rgb green title 'of the aggregate peak of all paths', \
     '' using (bar_x($0, 1, 2)):3:5 with labels @value_style offset 0,1 font ',7' notitle, \
     '' using 0:(NaN):xtic(1) notitle
