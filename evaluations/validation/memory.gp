set title caption('HBM2, two pseudo-channels of 16 GB/s') font ',14'
set ylabel 'bandwidth [GB/s], latency [ns]'
set bmargin below(8)
set xtics font ',9'
set xtics scale 0
set boxwidth 0.94 * bar_width(2) absolute
set xrange [-0.6:bars_rows - 0.4]
stats $bars using 3 nooutput
set yrange [0:STATS_max * 1.25]
plot $bars using (bar_x($0, 0, 2)):2 with boxes linecolor rgb blue title 'kernbench', \
     '' using (bar_x($0, 1, 2)):3 with boxes linecolor rgb grey title 'DRAMSys', \
     '' using (bar_x($0, 0, 2)):2:(sprintf('%.1f', $2)) with labels @value_style offset 0,0.5 font ',7' notitle, \
     '' using (bar_x($0, 1, 2)):3:(sprintf('%.1f', $3)) with labels @value_style offset 0,0.5 font ',7' notitle, \
     '' using 0:(NaN):xtic(1) notitle
