#include "sim/evaluate/bars.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/evaluate/gnuplot.h"

namespace kb::evaluate {

namespace {

constexpr double kGroupWidth = 0.84;

std::string axis(const BarChart& chart, double width) {
  std::string tics;
  for (std::size_t i = 0; i < chart.groups.size(); ++i) {
    tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", tic_text(chart.groups[i]), i);
  }
  return fmt::format(
      "set boxwidth {} absolute\nset style fill solid 1.0 noborder\nset xtics nomirror scale 0 ({})\nset xrange "
      "[-0.6:{}]\nplot ",
      plot_number(width), tics, plot_number(static_cast<double>(chart.groups.size()) - 0.4));
}

std::string number_label(const BarChart& chart, double value) {
  return fmt::format(fmt::runtime(chart.label_format), value);
}

std::string data_row(double x, double y, const std::string& label) {
  return plot_number(x) + " " + plot_number(y) + " " + plot_text(label) + "\n";
}

std::string boxes(const std::string& block, const BarSeries& series) {
  return fmt::format("{} using 1:2 with boxes linecolor rgb {} {}", block, plot_text(series.colour),
                     plot_title(series.title));
}

std::string labels(const std::string& block, int lines) {
  return fmt::format("{} using 1:2:3 with labels offset 0,{} font ',7' notitle", block, 0.5 * lines);
}

}  // namespace

std::string plot_bars(const BarChart& chart) {
  const double width = kGroupWidth / static_cast<double>(chart.series.size());
  std::string data, plots;
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const BarSeries& series = chart.series[s];
    const std::string block = fmt::format("$bars{}", s);
    int lines = 1;
    data += block + " << END\n";
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      if (!series.values[i]) continue;
      const double at = static_cast<double>(i) + (static_cast<double>(s) + 0.5) * width - kGroupWidth / 2;
      const std::string label = series.labels.empty() ? number_label(chart, *series.values[i]) : series.labels[i];
      lines = std::max(lines, static_cast<int>(1 + std::count(label.begin(), label.end(), '\n')));
      data += data_row(at, *series.values[i], label);
    }
    data += "END\n";
    plots += (s == 0 ? "" : ", \\\n  ") + boxes(block, series) + ", \\\n  " + labels(block, lines);
  }
  return data + axis(chart, width * 0.94) + plots;
}

std::string plot_stacked(const BarChart& chart) {
  std::vector<double> height(chart.groups.size(), 0.0);
  std::vector<std::string> layers;
  std::string data;
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const std::string block = fmt::format("$bars{}", s);
    data += block + " << END\n";
    for (std::size_t i = 0; i < height.size(); ++i) {
      height[i] += chart.series[s].values[i].value_or(0.0);
      data += data_row(static_cast<double>(i), height[i],
                       chart.series[s].labels.empty() ? number_label(chart, height[i]) : chart.series[s].labels[i]);
    }
    data += "END\n";
    layers.push_back(boxes(block, chart.series[s]));
  }
  std::string plots;  // the highest first, so that the lower ones are seen
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) plots += *layer + ", \\\n  ";
  return data + axis(chart, kGroupWidth * 0.6) + plots + labels(fmt::format("$bars{}", layers.size() - 1), 1);
}

std::string level(double y) {
  return fmt::format(
      "set arrow from graph 0, first {0} to graph 1, first {0} nohead back linecolor rgb '#888888' dashtype 2\n",
      plot_number(y));
}

std::string origin_of(const nlohmann::ordered_json& data) {
  constexpr std::size_t kNamed = 4;
  const nlohmann::ordered_json& topology = data.at("topology");
  std::string changes;
  std::size_t count = 0;
  for (const auto& [key, value] : topology.at("set").items()) {
    if (count++ >= kNamed) continue;
    changes +=
        fmt::format("{} {}={}", count == 1 ? " with" : ",", key.substr(key.rfind('.') + 1), value.get<std::string>());
  }
  if (count > kNamed) changes += fmt::format(" and {} more", count - kNamed);
  return fmt::format("kernbench {}, topology {}{}, configuration {}", data.at("kernbench").get<std::string>(),
                     topology.at("file").get<std::string>(), changes,
                     data.at("config_digest").get<std::string>().substr(0, 12));
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
