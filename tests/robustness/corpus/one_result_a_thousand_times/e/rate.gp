plot $line using 1:2 with linespoints title label
