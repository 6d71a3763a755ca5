# Who sends to whom between the SIPs and inside one. Boxes are 1 apart, row 0 is at the top.
sips = word($grid[1], 1) * word($grid[1], 2)  # rows of $grid: ring, torus, mesh
torus_w = int(word($grid[2], 1))
torus_h = int(word($grid[2], 2))
mesh_w = int(word($grid[3], 1))
mesh_h = int(word($grid[3], 2))
half_w = 0.3   # of a box
half_h = 0.22
beside = 0.12  # of arrows at one edge from its middle
sip_fill = '#e8eef7'
root_fill = '#f9d7a0'

# Commands, to be run by eval.
box(x, y, text, fill) = sprintf("set object rectangle from %g,%g to %g,%g fillcolor rgb '%s' fillstyle solid 1.0 border linecolor rgb '#555555'; set label '%s' at %g,%g center font ',%d'", \
                                x - half_w, -y - half_h, x + half_w, -y + half_h, fill, text, x, -y, printed ? 5 : 10)
arrow(x, y, to_x, to_y, colour) = sprintf("set arrow from %g,%g to %g,%g linecolor rgb '%s' linewidth 2 filled front", x, y, to_x, to_y, colour)
# From edge to edge of two boxes beside each other in one row or column; `side` moves it off the middle.
link(x, y, to_x, to_y, colour, side) = arrow(x + half_w * (to_x - x) + side * abs(to_y - y), -y - half_h * (to_y - y) + side * abs(to_x - x), \
                                             to_x - half_w * (to_x - x) + side * abs(to_y - y), -to_y + half_h * (to_y - y) + side * abs(to_x - x), colour)
panel(columns, rows, margin, bottom, top) = sprintf("unset object; unset arrow; set xrange [%g:%g]; set yrange [%g:%g]", \
                                                    -margin, columns - 1 + margin, 1 - rows - bottom, top)

# Back from the last to the first column of a row above it, and of a column beside it: cubic Bezier curves with a head.
bezier(t, a, b, c, d) = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t ** 2 * c + t ** 3 * d
row_x(t, last) = bezier(t, last - beside, last - beside - 0.15, beside + 0.15, beside)
row_y(t, row) = -row + half_h + bezier(t, 0, 0.35, 0.35, 0)
column_x(t, column, sign) = column + sign * (half_w + bezier(t, 0, 0.4, 0.4, 0))
column_y(t, last) = bezier(t, -last, 0.2 - last, -0.2, 0)
head = 1 - 15.0 / 96
row_head(row, last) = arrow(row_x(head, last), row_y(head, row), row_x(1, last), row_y(1, row), blue)
column_head(column, last, sign) = arrow(column_x(head, column, sign), column_y(head, last), column_x(1, column, sign), column_y(1, last), green)
side_of(x, w) = x < (w + 1) / 2 ? -1 : 1
rounds(n) = n == 2 ? '1 round' : sprintf('%d rounds', n - 1)

if (printed) { set multiplot layout 2,2 } else { set multiplot layout 2,2 margins 0.03,0.97,0.12,0.90 spacing 0.04,0.15 title caption('Who sends to whom in an all-reduce') font ',14' }
unset border
unset tics
unset grid
unset key
set xlabel font ',10'
set print $steps
do for [i = 0:96] { print i / 96.0 }
unset print

eval panel(sips, 1, 0.6, 1.2, 1.6)
do for [x = 0:sips - 1] { eval box(x, 0, sprintf('SIP %d', x), sip_fill) }
do for [x = 1:sips - 1] { eval link(x - 1, 0, x, 0, blue, 0) }
eval row_head(0, sips - 1)
set title sprintf('Ring of %d', sips) font ',12'
set xlabel caption(sprintf('%d rounds: send global_E, receive global_W; each passes on what it received', sips - 1)) font ',10'
plot $steps using (row_x($1, sips - 1)):(row_y($1, 0)) with lines linecolor rgb blue linewidth 2
unset label

eval panel(torus_w, torus_h, 1.0, 0.6, 0.9)
do for [y = 0:torus_h - 1] {
  do for [x = 0:torus_w - 1] { eval box(x, y, sprintf('SIP %d', y * torus_w + x), sip_fill) }
  do for [x = 1:torus_w - 1] { eval link(x - 1, y, x, y, blue, 0) }
  if (torus_w > 1) { eval row_head(y, torus_w - 1) }
}
do for [x = 0:torus_w - 1] {
  do for [y = 1:torus_h - 1] { eval link(x, y - 1, x, y, green, 2 * x < torus_w ? -beside : beside) }
  if (torus_h > 1) { eval column_head(x, torus_h - 1, side_of(x, torus_w)) }
}
set title sprintf('Torus of %d x %d', torus_w, torus_h) font ',12'
set xlabel caption(sprintf('%s along the row (blue), then %s along the column (green)', rounds(torus_w), rounds(torus_h))) font ',10'
plot for [row = 0:torus_w > 1 ? torus_h - 1 : -1] $steps using (row_x($1, torus_w - 1)):(row_y($1, row)) with lines linecolor rgb blue linewidth 2, \
     for [c = 0:torus_h > 1 ? torus_w - 1 : -1] $steps using (column_x($1, c, side_of(c, torus_w))):(column_y($1, torus_h - 1)) with lines linecolor rgb green linewidth 2
unset label

apart = 0.07  # the two directions
eval panel(mesh_w, mesh_h, 1.0, 0.6, 0.6)
do for [y = 0:mesh_h - 1] {
  do for [x = 0:mesh_w - 1] {
    eval box(x, y, sprintf('SIP %d', y * mesh_w + x), sip_fill)
    if (x > 0) { eval link(x - 1, y, x, y, blue, apart); eval link(x, y, x - 1, y, cyan, -apart) }
    if (y > 0) { eval link(x, y - 1, x, y, green, -apart); eval link(x, y, x, y - 1, yellow, apart) }
  }
}
set title sprintf('Mesh of %d x %d, no wrap', mesh_w, mesh_h) font ',12'
set xlabel caption("rows: sums go east (blue) and back west (cyan);\ncolumns: then south (green) and back north (yellow)") font ',10'
plot NaN notitle
unset label

root_x = centre % cube_w
root_y = centre / cube_w
eval panel(cube_w, cube_h, 0.6, 0.6, 0.6)
do for [y = 0:cube_h - 1] {
  do for [x = 0:cube_w - 1] {
    eval box(x, y, sprintf('cube %d', y * cube_w + x), x == root_x && y == root_y ? root_fill : sip_fill)
    if (x != root_x) { eval link(x, y, x < root_x ? x + 1 : x - 1, y, blue, 0) }
  }
  if (y != root_y) { eval link(root_x, y, root_x, y < root_y ? y + 1 : y - 1, red, 0) }
}
set title 'Inside each SIP' . (printed ? '' : ': cubes to the root and back') font ',12'
set xlabel caption("to the root (orange) along the rows (blue), then along its column (red);\nafter the exchange between the SIPs back the same ways") font ',10'
plot NaN notitle
unset multiplot
