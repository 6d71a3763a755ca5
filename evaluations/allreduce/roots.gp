set title caption('All-reduce of ' . marked_words . ' per PE by root of the reduction in each SIP (simulated)') font ',14'
set ylabel 'latency [µs]'
set bmargin below(7)
set xtics scale 0
if (printed) set xtics rotate by 20 right font ',8'
set boxwidth 0.94 * bar_width(series_rows) absolute
set xrange [-0.6:groups_rows - 0.4]
set yrange [0:1.5 * most]
array colours = [green, blue, cyan, yellow, red]
plot for [s = 0:series_rows - 1] $bars using (bar_x($1, s, series_rows)):($2 == s ? $3 : NaN) with boxes linecolor rgb colours[s % 5 + 1] title word($series[s + 1], 1), \
     $bars using (bar_x($1, $2, series_rows)):3:(sprintf('%.1f', $3)) with labels @value_style offset 0,0.5 font ',7' notitle, \
     $groups using 1:(NaN):xtic(2) notitle
