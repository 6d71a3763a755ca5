#include "sim/evaluate/lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "sim/evaluate/gnuplot.h"

namespace kb::evaluate {

std::string plot_lines(const std::vector<LineSeries>& series) {
  std::string data, plots;
  for (std::size_t s = 0; s < series.size(); ++s) {
    const LineSeries& one = series[s];
    const std::string block = fmt::format("$line{}", s);
    data += block + " << END\n";
    for (std::size_t i = 0; i < one.points.size(); ++i) {
      const std::string label = one.labels.empty() ? std::string() : one.labels[i];
      const bool below = !one.labels_below.empty() && one.labels_below[i];
      data += plot_number(one.points[i].first) + " " + plot_number(one.points[i].second) + " " +
              plot_text(below ? "" : label) + " " + plot_text(below ? label : "") + "\n";
    }
    data += "END\n";
    const char* const style = !one.line ? "points" : one.marker == 0 ? "lines" : "linespoints";
    plots += (s == 0 ? "" : ", \\\n  ") +
             fmt::format("{} using 1:2 with {} linecolor rgb {}", block, style, plot_text(one.colour));
    if (one.line) plots += fmt::format(" linewidth 2 dashtype {}", one.dashed ? 2 : 1);
    if (one.marker != 0) plots += fmt::format(" pointtype {} pointsize {}", one.marker, one.line ? 0.8 : 1.6);
    plots += " " + plot_title(one.title);
    if (one.labels.empty()) continue;
    for (const int column : {3, 4}) {
      plots += fmt::format(", \\\n  {} using 1:2:{} with labels offset {},{} font ',8' notitle", block, column,
                           plot_number(one.label_x), plot_number(column == 3 ? one.label_y : -one.label_y));
    }
  }
  return data + "plot " + plots;
}

std::string byte_text(double bytes) {
  constexpr double kKib = 1024;
  return bytes < kKib ? fmt::format("{:g} B", bytes) : fmt::format("{:g} KiB", bytes / kKib);
}

std::string byte_axis(const std::vector<double>& sizes, const std::string& title, double low, double high) {
  std::string tics;
  for (const double size : sizes) {
    tics += (tics.empty() ? "" : ", ") + tic_text(byte_text(size)) + " " + plot_number(size);
  }
  if (sizes.empty()) throw Error::configuration("there are no sizes to draw");
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  return fmt::format("set xlabel {}\nset logscale x 2\nset xtics nomirror ({}) font ',10'\nset xrange [{}:{}]\n",
                     plot_text(title), tics, plot_number(*least * low), plot_number(*most * high));
}

std::string chart_head(const std::string& title, const std::string& y_axis) {
  return "set encoding utf8\nset title " + plot_text(title) + " font ',14'\nset ylabel " + plot_text(y_axis) +
         "\nset grid ytics linetype 1 linewidth 1 linecolor rgb '#dddddd'\nset border 3\nset ytics nomirror\n"
         "set key top left Left reverse samplen 2\n";
}

}  // namespace kb::evaluate
