set title caption('Composite GEMM of one PE beside the roofline') font ',14'
set ylabel 'products per ns'
set xlabel 'products per byte read'
set bmargin below(7)
set logscale x 2
set logscale y 2
set xrange [0.25:64]
set yrange [32:8192]
plot $one using 1:3 with lines linecolor rgb grey linewidth 2 title 'roofline' . (printed ? '' : ": array with its padding, or bytes read at the HBM's rate"), \
     $four using 1:2 with linespoints linecolor rgb blue linewidth 2 pointtype 7 pointsize 0.8 title 'kernbench, 4 reads under way', \
     $one using 1:2 with linespoints linecolor rgb red linewidth 2 pointtype (printed ? 5 : 7) pointsize 0.8 title 'kernbench, 1 read under way'
