set title caption('Attention at the scale of a model: time of the slowest PE (simulated)') font ',14'
set ylabel 'time [µs], logarithmic'
set key off
set bmargin below(9)
set xtics scale 0
set xrange [-0.6:bars_rows - 0.4]
set logscale y
stats $bars using 2 nooutput
set yrange [10 ** floor(log10(STATS_min)):STATS_max * 5]
plot $bars using 0:2:xtic(1) with points linecolor rgb green pointtype 7 pointsize 1.4, \
     '' using 0:2:3 with labels @value_style offset 0,1 font ',7'
