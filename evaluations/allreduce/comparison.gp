set title caption('All-reduce latency: simulation beside an external measurement') font ',14'
set xlabel 'bytes per PE (f16 tile of a cube, on its PE 0)'
set ylabel 'latency [µs], logarithmic'
set bmargin below(8)
set logscale x 2
set xtics font ',10'
set xrange [0.75 * first:1.8 * last]
set logscale y 10
set yrange [0.6 * least:4 * most]
set ytics (1, 2, 5, 10, 20, 50, 100, 200, 500)
array colours = [blue, green, red]
array markers = [7, 5, 9]
set arrow from marked, graph 0 to marked, graph 1 nohead dashtype 3 linecolor rgb '#555555'
set label marked_words at marked, graph 0.03 right offset -0.5,0 font ',9' textcolor rgb '#555555'
plot for [t = 1:3] $curve using 1:(column(t + 1)) with linespoints linecolor rgb colours[t] linewidth 2 pointtype markers[t] pointsize 0.8 title 'simulated: ' . word($grid[t], 1), \
     for [row = 1:external_rows] $external every ::row-1::row-1 using 1:2 with points linecolor rgb purple pointtype 13 pointsize 1.6 title 'external' . (printed ? '' : ': ' . word($external[row], 3)), \
     $external using 1:2:(sprintf('%.1f', $2)) with labels @value_style offset 0,0.8 font ',8' notitle, \
     $size using 1:(NaN):xtic(2) notitle
