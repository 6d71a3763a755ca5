set title caption('Products with weights beside an H100') font ',14'
set ylabel 'time, kernbench / GPU'
set xlabel 'tokens'
set bmargin below(7)
set logscale x 2
set xrange [0.7:3000]
set yrange [0.4:1.8]
set arrow from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb grey
plot $large using 1:2 with points linecolor rgb blue pointtype 7 pointsize 0.9 title '50 MB of weights and more', \
     $small using 1:2 with points linecolor rgb red pointtype (printed ? 5 : 7) pointsize 0.9 title 'smaller ones'
