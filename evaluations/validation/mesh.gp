set title caption('Mesh of 4 x 4 routers, uniform writes: latency over load') font ',14'
set ylabel 'mean latency of a packet [ns]'
set xlabel 'offered load [flits/ns/node]'
set bmargin below(8)
set xrange [0:0.8]
set yrange [0:*]
set key samplen 4
set style data linespoints
plot $short using 1:2 linecolor rgb blue linewidth 2 pointtype 7 pointsize 0.8 title 'kernbench, packets of 256 B', \
     '' using 1:3 linecolor rgb blue linewidth 2 dashtype 2 pointtype 7 pointsize 0.8 title 'BookSim2, packets of 256 B', \
     $long using 1:2 linecolor rgb red linewidth 2 pointtype 7 pointsize 0.8 title 'kernbench, packets of 1024 B', \
     '' using 1:3 linecolor rgb red linewidth 2 dashtype 2 pointtype 7 pointsize 0.8 title 'BookSim2, packets of 1024 B'
