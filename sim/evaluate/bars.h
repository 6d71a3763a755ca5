// Grouped bars as part of a gnuplot script.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kb::evaluate {

struct BarSeries {
  std::string title;
  std::string colour;                         // "#4477aa"
  std::vector<std::optional<double>> values;  // by group; none = no bar
  std::vector<std::string> labels = {};       // by group, above the bar; empty = the numbers
};

struct BarChart {
  std::vector<std::string> groups;  // may have several lines
  std::vector<BarSeries> series;
  std::string label_format = "{:.0f}";  // of the number above each bar, of fmt
};

// xtics, xrange and the plot command, ending without a line break so that `, more` can follow. Sets no title or axis.
std::string plot_bars(const BarChart& chart);

// The same with the series of a group on top of each other and the sum, or the label of the last series, above.
std::string plot_stacked(const BarChart& chart);

// A dashed line across the graph, behind the bars.
std::string level(double y);

// "kernbench 0.1.0, topology x.yaml with tile_m=64, configuration 0123456789ab", of a data file's header.
std::string origin_of(const nlohmann::ordered_json& data);
// Grey lines at the bottom of a figure of `height` pixels that say where its numbers come from.
std::string caption(const std::vector<std::string>& lines, int height);

// Blue, cyan, green, yellow, red, purple that people with colour-blindness can tell apart (Paul Tol).
inline constexpr const char* kBlue = "#4477aa";
inline constexpr const char* kCyan = "#66ccee";
inline constexpr const char* kGreen = "#228833";
inline constexpr const char* kYellow = "#ccbb44";
inline constexpr const char* kRed = "#ee6677";
inline constexpr const char* kPurple = "#aa3377";
inline constexpr const char* kGrey = "#bbbbbb";

}  // namespace kb::evaluate
