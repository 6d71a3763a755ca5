set title caption(title) font ',14'
set ylabel shares ? 'share of the time until everything is delivered [%]' : 'time until everything is delivered [ns]'
set key horizontal samplen 1.5
set bmargin below(9)
set xtics scale 0
# Parts that take no time in any bar are left out of the key.
array titles = ['issuing PE', 'routers and mesh', 'UCIe', 'IO chiplet, PCIe (gathers messages), switch', \
                'HBM controller', 'bytes on the narrowest wire', 'waiting for others']
do for [part = 1:7] {
  stats $bars using part + 1 nooutput
  if (STATS_max <= 0) { titles[part] = '' }
}
set boxwidth 0.504 absolute
set xrange [-0.6:bars_rows - 0.4]
set yrange [0:1.3 * (shares ? 100 : longest_ns)]
if (shares) set ytics 0,20,100
array colours = [purple, blue, cyan, yellow, red, green, grey]
top_of(part) = sum [lower = 1:part] column(lower + 1)
plot for [part = 7:1:-1] $bars using 0:(top_of(part)) with boxes linecolor rgb colours[part] title titles[part], \
     '' using 0:(top_of(7)):9 with labels @value_style offset 0,0.5 font ',7' notitle, \
     '' using 0:(NaN):xtic(1) notitle
