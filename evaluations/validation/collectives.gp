set title caption('Collectives of eight ranks: time / alpha-beta time') font ',14'
set ylabel 'times the alpha-beta time'
set xlabel "bytes of a rank's tile or block"
set bmargin below(7)
if (!printed) set key outside right
set logscale x 2
set xtics font ',10'
stats $size using 1 nooutput
set xrange [0.75 * STATS_min:1.5 * STATS_max]
set yrange [0:*]
array colours = [blue, cyan, red, green, yellow, purple]
plot for [s = 1:scenario_rows] $curve using 1:($2 == s ? $3 : NaN) with linespoints linecolor rgb colours[s] linewidth 2 pointtype (printed ? 2 * s + 2 : 7) pointsize 0.8 title word($scenario[s], 1), \
     $size using 1:(NaN):xtic(2) notitle
