// Curves over sizes as part of a gnuplot script.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kb::evaluate {

struct LineSeries {
  std::string title;
  std::string colour;                             // "#4477aa"
  std::vector<std::pair<double, double>> points;  // x, y
  std::vector<std::string> labels = {};           // beside the points; empty = none
  std::vector<bool> labels_below = {};            // of these the mirror image; empty = none
  bool line = true;                               // else points alone
  bool dashed = false;
  int marker = 7;                     // of gnuplot; 0 = none
  double label_x = 0, label_y = 0.8;  // from the point, in characters
};

// Data blocks and the plot command, ending without a line break so that `, more` can follow.
std::string plot_lines(const std::vector<LineSeries>& series);

// "16 B", "96 KiB"
std::string byte_text(double bytes);
// A logarithmic x axis with a tic at each of these sizes; `low` and `high` times the range of sizes are seen.
std::string byte_axis(const std::vector<double>& sizes, const std::string& title, double low = 0.75, double high = 1.5);
// Title, y axis, grid, legend.
std::string chart_head(const std::string& title, const std::string& y_axis);

}  // namespace kb::evaluate
