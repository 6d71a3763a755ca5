set title caption(title) font ',14'
set ylabel 'latency [ns], logarithmic'
set xlabel 'bytes'
set bmargin below(10)
if (!printed) set label ends at screen 0.012, foot_y(3) left font ',8' textcolor rgb '#555555'
set key samplen 4
stats $sizes using 1 nooutput
least = STATS_min
most = STATS_max
set xrange [0.7 * least:1.5 * most]
set yrange [0.8 * least_ns:3 * most_ns]
set logscale x 2
set logscale y 2
set xtics font ',10'
array titles = ['SRAM, slot written and read', 'SRAM, slot written only', 'HBM, slot written and read', \
                'HBM, slot written only', 'TCM, slot written and read', 'TCM, slot written only']
array colours = [red, red, yellow, yellow, blue, blue]
array dashes = [1, 2, 1, 2, 1, 2]
array marks = [5, 4, 7, 6, 9, 8]
array heights = [0.35, 0.35, -0.15, -0.15, -0.15, -0.15]
# The number of the largest size is beside its point.
number(row, ns) = row == sizes_rows - 1 ? sprintf('%.0f', ns) : ''
plot for [s = 1:6] $sizes using 1:(column(s + 2)):xtic(2) with linespoints linecolor rgb colours[s] linewidth 2 \
       dashtype dashes[s] pointtype marks[s] pointsize 0.8 title titles[s], \
     for [s = 1:6] '' using 1:(column(s + 2)):(number($0, column(s + 2))) with labels @value_style offset 2.8,heights[s] \
       font ',8' notitle
