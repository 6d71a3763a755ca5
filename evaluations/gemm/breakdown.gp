set title caption('GEMM composite: time in which each pipeline stage is busy (simulated)') font ',14'
set ylabel 'wall-clock of the stage [ns], logarithmic'
set key horizontal samplen 1.5
set bmargin below(8)
set xtics scale 0
set xrange [-0.6:bars_rows - 0.4]
set logscale y
set yrange [1:highest * 8]
array markers = [7, 5, 9, 11, 13]
array titles = ['DMA in (B tiles)', 'Fetch (TCM to registers)', 'GEMM (MAC array)', 'DMA out (C tiles)', 'whole composite']
array colours = [blue, cyan, green, yellow, grey]
plot for [s = 1:5] $bars using (bar_x($0, s - 1, 5)):(column(s + 1)) with points linecolor rgb colours[s] pointtype markers[s] pointsize 1.4 title titles[s], \
     for [s = 1:5] '' using (bar_x($0, s - 1, 5)):(column(s + 1)):(sprintf('%.0f', column(s + 1))) with labels @value_style offset 0,0.5 font ',7' notitle, \
     '' using 0:(NaN):xtic(1) notitle
