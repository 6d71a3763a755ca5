set title caption('GEMM composite: utilisation of the MAC array (simulated)') font ',14'
set ylabel 'share of the composite window [%]'
set key horizontal samplen 1.5
set bmargin below(8)
set xtics scale 0
set boxwidth 0.94 * bar_width(2) absolute
set xrange [-0.6:bars_rows - 0.4]
set yrange [0:122]
set ytics 0,20,100
set arrow from graph 0, first 100 to graph 1, first 100 nohead back linecolor rgb '#888888' dashtype 2
array titles = ['GEMM utilisation: MAC array busy', 'useful efficiency: busy with products that were wanted' . (printed ? '' : ', not padding')]
array colours = [green, blue]
plot for [s = 1:2] $bars using (bar_x($0, s - 1, 2)):(column(s + 1)) with boxes linecolor rgb colours[s] title titles[s], \
     for [s = 1:2] '' using (bar_x($0, s - 1, 2)):(column(s + 1)):(sprintf('%.1f', column(s + 1))) with labels @value_style offset 0,0.5 font ',7' notitle, \
     '' using 0:(NaN):xtic(1) notitle
