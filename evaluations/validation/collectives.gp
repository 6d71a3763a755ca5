set title caption('Collectives, all options as they are: time / time of the best algorithm') font ',14'
set ylabel 'times the bound'
set xlabel 'SIPs, and 8 PEs of a cube'
set bmargin below(10)
if (!printed) set key outside right
set logscale x 2
set xrange [1.5:21]
set xtics ('2' 2, '4' 4, '8' 8, '16' 16) font ',10'
set yrange [0.8:1.6]
set arrow from graph 0, first 1 to graph 1, first 1 nohead back linecolor rgb '#888888' dashtype 2
array colours = [blue, cyan, red, green, yellow, purple]
plot for [s = 1:size_rows] $points using 1:($3 == s ? $2 : NaN) with points linecolor rgb colours[s] linewidth 2 pointtype (printed ? 2 * s + 2 : 7) pointsize 0.8 title word($size[s], 1)
