set title caption('Streams of short writes against writes of 64 KiB') font ',14'
set ylabel 'rate [% of that of 64 KiB]'
set key top left horizontal
set bmargin below(7)
set xtics scale 0
set boxwidth 0.94 * bar_width(2) absolute
set xrange [-0.6:bars_rows - 0.4]
set yrange [0:130]
set arrow from graph 0, first 90 to graph 1, first 90 nohead back linecolor rgb '#888888' dashtype 2
plot $bars using (bar_x($0, 0, 2)):2 with boxes linecolor rgb blue title 'UCIe port eastbound', \
     '' using (bar_x($0, 1, 2)):4 with boxes linecolor rgb red title "tray\047s switch both ways", \
     '' using (bar_x($0, 0, 2)):2:(sprintf('%.0f GB/s', $3)) with labels @value_style offset 0,0.5 font ',7' notitle, \
     '' using (bar_x($0, 1, 2)):4:(sprintf('%.0f GB/s', $5)) with labels @value_style offset 0,0.5 font ',7' notitle, \
     '' using 0:(NaN):xtic(1) notitle
