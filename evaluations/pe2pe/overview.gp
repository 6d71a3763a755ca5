if (!printed) set label ends at screen 0.012, foot_y(3) left font ',8' textcolor rgb '#555555'
count = words(titles)
columns = count > 4 && !printed ? 3 : count > 1 ? 2 : 1
rows = (count + columns - 1) / columns
if (printed) { set multiplot layout rows,columns } else { set multiplot layout rows,columns margins 0.06,0.985,0.18,0.90 spacing 0.065,0.14 \
  title 'PE to PE: message against raw DMA (simulated)' font ',14' }
set ylabel printed ? '[ns]' : 'latency [ns]'
set xlabel printed ? '' : 'bytes'
set key font ',9' samplen 1.5
stats $tics using 1 nooutput
least = STATS_min
most = STATS_max
set xrange [0.8 * least:1.7 * most]
set yrange [0:1.35 * most_ns]
set logscale x 2
set xtics font ',10'
if (printed) { set ytics 200; set xtics norotate font ',6'; set lmargin 9; set rmargin 1; set tmargin 4 }
do for [panel = 1:count] {
  set title word(titles, panel) font printed ? ',8' : ',12'
  is_shown(hop) = word(word(titles, panel), 1) eq hop
  plot $panels using (is_shown(strcol(1)) ? $2 : NaN):3 with linespoints linecolor rgb blue linewidth 2 \
         pointtype 7 pointsize 0.8 title 'message (IPCQ, TCM)', \
       '' using (is_shown(strcol(1)) ? $2 : NaN):4 with linespoints linecolor rgb red linewidth 2 \
         pointtype 5 pointsize 0.8 title 'raw DMA store', \
       $tics using 1:(NaN):xtic(2) notitle
  unset label
  if (printed) { unset key }
}
unset multiplot
