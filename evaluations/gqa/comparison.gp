set title caption('Attention panels: operations of all PEs (simulated)') font ',14'
set ylabel printed ? 'operations' : 'number of operations, logarithmic'
set key horizontal
set bmargin below(9)
set xtics scale 0
set xrange [-0.6:bars_rows - 0.4]
set logscale y
stats $bars using 2 nooutput
set yrange [0.7:STATS_max * 5]
array markers = [7, 5, 9, 11, 13]
array titles = ['GEMM commands', 'messages sent', 'messages received', 'DMA reads', 'DMA writes']
array colours = [blue, green, cyan, yellow, red]
plot for [s = 1:5] $bars using (bar_x($0, s - 1, 5)):(column(s + 1)) with points linecolor rgb colours[s] pointtype markers[s] pointsize 1.4 title titles[s], \
     for [s = 1:5] '' using (bar_x($0, s - 1, 5)):(column(s + 1)):(sprintf('%g', column(s + 1))) with labels @value_style offset 0,0.5 font ',7' notitle, \
     '' using 0:(NaN):xtic(1) notitle
