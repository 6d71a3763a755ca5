set title caption(title) font ',14'
set ylabel 'latency [ns]'
set xlabel 'bytes'
set bmargin below(10)
if (!printed) set label ends at screen 0.012, foot_y(3) left font ',8' textcolor rgb '#555555'
stats $sizes using 1 nooutput
least = STATS_min
most = STATS_max
stats $sizes using 3:4 nooutput
set yrange [0:1.3 * (STATS_max_x > STATS_max_y ? STATS_max_x : STATS_max_y)]
set xrange [0.8 * least:1.25 * most]
set logscale x 2
set xtics font ',10'
# The number of the slower one is above, of the faster one below its point.
plot $sizes using 1:3:xtic(2) with linespoints linecolor rgb blue linewidth 2 pointtype 7 pointsize 0.8 \
       title 'message (IPCQ, rings in the TCM): send, recv_no_consume', \
     '' using 1:4 with linespoints linecolor rgb red linewidth 2 pointtype 5 pointsize 0.8 \
       title "raw DMA: store to the other PE\047s HBM slice", \
     '' using 1:($3 > $4 ? $3 : $4):5 with labels @value_style offset 0,0.8 font ',8' notitle, \
     '' using 1:($3 > $4 ? $4 : $3):6 with labels @value_style offset 0,-0.8 font ',8' notitle
