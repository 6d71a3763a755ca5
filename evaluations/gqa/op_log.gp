set title caption(title) font ',14'
set ylabel 'number of operations'
set key off
set bmargin below(9)
set xtics scale 0
set boxwidth 0.5 absolute
set xrange [-0.6:bars_rows - 0.4]
set yrange [0:*]
set offsets 0, 0, graph 0.12, 0
plot $bars using 0:2:xtic(1) with boxes linecolor rgb blue, \
     '' using 0:2:(sprintf('%g', $2)) with labels @value_style offset 0,0.5 font ',7'
