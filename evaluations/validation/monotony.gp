set title caption('One bandwidth doubled or one overhead halved: time after / before') font ',14'
set ylabel 'time after / before'
set xlabel 'pairs up to this ratio [%]'
set bmargin below(7)
set xrange [0:100]
set yrange [0.4:1.2]
set arrow from graph 0, first 1 to graph 1, first 1 nohead back linecolor rgb '#888888' dashtype 2
plot $ratio using 2:(strcol(1) eq 'transfers' ? $3 : NaN) with lines linecolor rgb blue linewidth 2 title sprintf('transfers, %d pairs', transfers), \
     '' using 2:(strcol(1) eq 'workload' ? $3 : NaN) with lines linecolor rgb red linewidth 2 title sprintf('workload, %d pairs', workloads)
