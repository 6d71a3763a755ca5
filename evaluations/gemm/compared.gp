if (printed) { set multiplot layout 2,1 } else { set multiplot layout 2,1 margins 0.07,0.985,0.16,0.90 spacing 0,0.17 title caption('GEMM composite: utilisation of the MAC array, analytic model and simulation') font ',14' }
set ylabel 'of the window [%]'
set key horizontal samplen 1.5
set xtics scale 0
set boxwidth 0.94 * bar_width(3) absolute
set xrange [-0.6:utilisation_rows - 0.4]
set yrange [0:138]
set ytics 0,(printed ? 50 : 20),100
array titles = ['analytic: bytes at full rate, a tile time per stage (E-29)', 'analytic: no schedule is faster (round trips, overheads)', 'simulated']
array colours = [grey, yellow, green]
set title 'GEMM utilisation' font ',12'
plot for [s = 1:3] $utilisation using (bar_x($0, s - 1, 3)):(column(s + 1)) with boxes linecolor rgb colours[s] title titles[s], \
     for [s = 1:3] '' using (bar_x($0, s - 1, 3)):(column(s + 1)):(sprintf('%.1f', column(s + 1))) with labels @value_style offset 0,0.5 font ',7' notitle, \
     '' using 0:(NaN):xtic(1) notitle
unset label
if (printed) unset key
set title 'Useful efficiency (products that were wanted)' font ',12'
plot for [s = 1:3] $efficiency using (bar_x($0, s - 1, 3)):(column(s + 1)) with boxes linecolor rgb colours[s] title titles[s], \
     for [s = 1:3] '' using (bar_x($0, s - 1, 3)):(column(s + 1)):(sprintf('%.1f', column(s + 1))) with labels @value_style offset 0,0.5 font ',7' notitle, \
     '' using 0:(NaN):xtic(1) notitle
unset multiplot
