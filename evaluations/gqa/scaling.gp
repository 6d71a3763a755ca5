if (printed) { set multiplot layout 1,2 } else { set multiplot layout 1,2 margins 0.07,0.985,0.25,0.84 spacing 0.09,0.1 title caption('Attention, multi user: growth with the queries (simulated)') font ',14' }
set xlabel 'queries per cube'
set logscale x 2
set xtics (1, 2, 4)
set xrange [0.8:5]
set title 'time of the slowest PE' font ',12'
set ylabel 'time [µs], logarithmic'
set logscale y
set yrange [least / 2:most * 6]
plot $prefill using 1:2 with linespoints linecolor rgb blue linewidth 2 pointtype 7 pointsize 0.8 title 'multi user, prefill', \
     '' using 1:2:(sprintf('%.1f', $2)) with labels @value_style offset 0,0.8 font ',8' notitle, \
     $decode using 1:2 with linespoints linecolor rgb red linewidth 2 pointtype 5 pointsize 0.8 title 'multi user, decode', \
     '' using 1:2:(sprintf('%.1f', $2)) with labels @value_style offset 0,0.8 font ',8' notitle
unset label
set title 'products per time' font ',12'
set ylabel 'TFLOP/s'
unset logscale y
set yrange [0:fastest * 1.45]
plot $prefill using 1:3 with linespoints linecolor rgb blue linewidth 2 pointtype 7 pointsize 0.8 title 'multi user, prefill', \
     '' using 1:3:(sprintf('%.1f', $3)) with labels @value_style offset 0,0.8 font ',8' notitle, \
     $decode using 1:3 with linespoints linecolor rgb red linewidth 2 pointtype 5 pointsize 0.8 title 'multi user, decode', \
     '' using 1:3:(sprintf('%.1f', $3)) with labels @value_style offset 0,0.8 font ',8' notitle
unset multiplot
