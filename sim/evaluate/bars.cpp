#include "sim/evaluate/bars.h"

#include <fmt/format.h>

#include "sim/evaluate/gnuplot.h"

namespace kb::evaluate {

std::string plot_bars(const BarChart& chart) {
  constexpr double kGroupWidth = 0.84;
  const double width = kGroupWidth / static_cast<double>(chart.series.size());
  std::string tics, data, plots;
  for (std::size_t i = 0; i < chart.groups.size(); ++i) {
    tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", plot_text(chart.groups[i]), i);
  }
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const BarSeries& series = chart.series[s];
    data += fmt::format("$bars{} << END\n", s);
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      if (!series.values[i]) continue;
      const double at = static_cast<double>(i) + (static_cast<double>(s) + 0.5) * width - kGroupWidth / 2;
      data += plot_number(at) + " " + plot_number(*series.values[i]) + "\n";
    }
    data += "END\n";
    plots += fmt::format("{}$bars{} using 1:2 with boxes linecolor rgb {} title {}", s == 0 ? "" : ", \\\n  ", s,
                         plot_text(series.colour), plot_text(series.title));
    plots += fmt::format(", \\\n  $bars{} using 1:2:(sprintf({}, $2)) with labels offset 0,0.5 font ',7' notitle", s,
                         plot_text(chart.label_format));
  }
  return data +
         fmt::format(
             "set boxwidth {} absolute\nset style fill solid 1.0 noborder\nset xtics nomirror scale 0 ({})\n"
             "set xrange [-0.6:{}]\nplot ",
             plot_number(width * 0.94), tics, plot_number(static_cast<double>(chart.groups.size()) - 0.4)) +
         plots;
}

std::string caption(const std::vector<std::string>& lines, int height) {
  constexpr double kLine = 17, kMargin = 12;  // pixels
  std::string text;
  double y = kMargin + kLine * static_cast<double>(lines.size() - 1);
  for (const std::string& line : lines) {
    text += fmt::format("set label {} at screen 0.012,{} left font ',8' textcolor rgb '#555555'\n", plot_text(line),
                        plot_number(y / height));
    y -= kLine;
  }
  return text;
}

}  // namespace kb::evaluate
