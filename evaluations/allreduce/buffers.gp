set title caption('All-reduce latency by memory of the message rings, ' . sips . ' (simulated)') font ',14'
set xlabel 'bytes per PE (f16 tile of a cube, on its PE 0)'
set ylabel 'latency [µs], logarithmic'
set bmargin below(8)
set logscale x 2
set xtics font ',10'
stats $curve using 1 nooutput
set xrange [0.7 * STATS_min:1.4 * STATS_max]
set logscale y 2
set yrange [0.7 * least:3 * most]
legend(text) = printed ? text[1:strstrt(text, ':') - 1] : text
array colours = [red, yellow, blue]
array markers = [5, 7, 9]
# Curves lie close together: numbers above the upper, to the right of the middle and below the lower one.
plot for [s = 1:3] $curve using 1:(column(s + 2)):xtic(2) with linespoints linecolor rgb colours[s] linewidth 2 pointtype markers[s] pointsize 0.8 title legend(word($access[s], 1)), \
     $curve using 1:3:6 with labels @value_style offset 0,0.8 font ',8' notitle, \
     $curve using 1:4:7 with labels @value_style offset 3.4,-0.4 font ',8' notitle, \
     $curve using 1:5:8 with labels @value_style offset 0,-0.9 font ',8' notitle
