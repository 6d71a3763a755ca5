# Latency over bytes per PE on all topologies, with the analytic models of reference_curves.csv.
set title caption('All-reduce latency by topology of the SIPs (simulated)') font ',14'
set xlabel 'bytes per PE (f16 tile of a cube, on its PE 0)'
set ylabel 'latency [µs]'
set bmargin below(8)
set logscale x 2
set xtics font ',10'
stats $size using 1 nooutput
set xrange [0.75 * STATS_min:1.6 * marked]
array colours = [blue, green, red]
array markers = [7, 5, 9]
model(row, n) = row <= model_rows ? word($model[row], n) : '1'  # gnuplot evaluates loops without passes once
analytic(row, bytes) = (model(row, 3) + model(row, 4) * bytes * pes / model(row, 5)) / 1000
do for [row = 1:model_rows] {
  most = analytic(row, marked) > most ? analytic(row, marked) : most
  if (!printed) set label 'Analytic: ' . model(row, 2) at screen 0.012, foot_y(row + 1) left font ',8' textcolor rgb '#555555'
}
set yrange [0:1.2 * most]
set arrow from marked, graph 0 to marked, graph 1 nohead dashtype 3 linecolor rgb '#555555'
set label marked_words at marked, graph 0.03 right offset -0.5,0 font ',9' textcolor rgb '#555555'
plot for [t = 1:3] $curve using 1:(column(t + 1)) with linespoints linecolor rgb colours[t] linewidth 2 pointtype markers[t] pointsize 0.8 title word($grid[t], 1), \
     for [t = 1:3] $chosen using 1:(column(t + 1)) with linespoints linecolor rgb colours[t] linewidth 2 dashtype 2 pointtype markers[t] - 1 pointsize 0.8 title 'auto: ' . word($grid[t], 1), \
     for [row = 1:model_rows] [STATS_min:marked] analytic(row, x) with lines linecolor rgb '#777777' linewidth 2 dashtype row + 1 title 'analytic: ' . model(row, 1), \
     $size using 1:(NaN):xtic(2) notitle
