// One figure per hop, all in one, and the memories of the rings (E-66, E-47).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/evaluate/bars.h"
#include "sim/evaluate/lines.h"
#include "sim/evaluate/pe2pe/pe2pe_evaluation.h"
#include "sim/evaluate/slot_costs.h"

namespace kb::evaluate {
namespace {

constexpr int kWidth = 1000, kHeight = 600, kWide = 1300, kTall = 860;  // pixels
constexpr const char* kOverview = "pe2pe_overview";
constexpr const char* kRings = "pe2pe_buffer_kinds";
constexpr const char* kHops[] = {"h1", "h2", "h3", "h4", "h5"};

LineSeries curve(const Json& data, const std::string& set, const std::string& hop, const std::string& method,
                 const std::string& kind, const std::string& title, const char* colour) {
  LineSeries series{title, colour, {}, {}};
  for (const Json& run : data.at("runs")) {
    if (run.at("set") != set || run.at("hop") != hop || run.at("method") != method || run.at("buffer_kind") != kind) {
      continue;
    }
    series.points.emplace_back(run.at("bytes").get<double>(), run.at("latency_ns").get<double>());
  }
  return series;
}

std::vector<LineSeries> both(const Json& data, const std::string& hop) {
  std::vector<LineSeries> series{
      curve(data, "hops", hop, "ipcq", "tcm", "message (IPCQ, rings in the TCM): send, recv_no_consume", kBlue),
      curve(data, "hops", hop, "dma", "tcm", "raw DMA: store to the other PE's HBM slice", kRed)};
  series[1].marker = 5;
  require_runs(!series[0].points.empty() && series[0].points.size() == series[1].points.size(), "hop " + hop);
  return series;
}

double highest(const std::vector<LineSeries>& series) {
  double most = 0;
  for (const LineSeries& one : series) {
    for (const auto& [x, y] : one.points) most = std::max(most, y);
  }
  return most;
}

std::vector<double> tics(const LineSeries& series) {
  std::vector<double> list;
  for (const auto& [x, y] : series.points) list.push_back(x);
  return list;
}

std::string ends(const Json& hop) {
  return fmt::format("{} to {}, {} wires, the narrowest {:g} GB/s", hop.at("from").get<std::string>(),
                     hop.at("to").get<std::string>(), hop.at("wires").dump(), hop.at("narrowest_gbs").get<double>());
}

std::vector<std::string> foot(const Json& data, const std::string& first) {
  return {
      first,
      "Time from the common start of both PEs to the end of the slower one; the sender loads the bytes from its HBM "
      "slice first. A message ends at the receiver, a slot write",
      fmt::format("and a credit after its last byte has come; a store ends at the sender, the last burst in the HBM "
                  "({:g} ns) and a response after that.",
                  data.at("hbm_burst_ns").get<double>()),
      origin_of(data)};
}

// The number of the slower one above, of the faster one below its point.
void label_both(std::vector<LineSeries>& series) {
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t i = 0; i < series[s].points.size(); ++i) {
      const double own = series[s].points[i].second, other = series[1 - s].points[i].second;
      series[s].labels.push_back(fmt::format("{:.0f}", own));
      series[s].labels_below.push_back(own < other);
    }
  }
}

Figure hop_figure(const Json& data, const Json& hop) {
  std::vector<LineSeries> series = both(data, hop.at("id"));
  label_both(series);
  return {
      "pe2pe_" + hop.at("id").get<std::string>(),
      chart_head(fmt::format("PE to PE, {}: message against raw DMA (simulated)", hop.at("text").get<std::string>()),
                 "latency [ns]") +
          "set bmargin 10\n" + caption(foot(data, ends(hop) + "."), kHeight) +
          byte_axis(tics(series[0]), "bytes", 0.8, 1.25) +
          fmt::format("set yrange [0:{}]\n", plot_number(1.3 * highest(series))) + plot_lines(series) + "\n",
      kWidth, kHeight};
}

Figure overview_figure(const Json& data) {
  const std::size_t count = data.at("hops").size();
  const std::size_t columns = count > 4 ? 3 : count > 1 ? 2 : 1, rows = (count + columns - 1) / columns;
  double most = 0;
  for (const Json& hop : data.at("hops")) most = std::max(most, highest(both(data, hop.at("id"))));
  std::string script =
      "set encoding utf8\n" +
      caption(foot(data, "h1 to h5: distances with PE 0 of cube 0 of SIP 0 as sender. All panels have one scale."),
              kTall) +
      fmt::format("set multiplot layout {},{} margins 0.06,0.985,0.18,0.90 spacing 0.065,0.14 title ", rows, columns) +
      plot_text("PE to PE: message against raw DMA (simulated)") + " font ',14'\n";
  for (const Json& hop : data.at("hops")) {
    std::vector<LineSeries> series = both(data, hop.at("id"));
    series[0].title = "message (IPCQ, TCM)";
    series[1].title = "raw DMA store";
    std::vector<double> few;
    for (const double size : tics(series[0])) {
      const double exponent = std::log2(size / tics(series[0]).front());
      if (exponent == std::floor(exponent) && std::fmod(exponent, 2) == 0) few.push_back(size);
    }
    script += chart_head(hop.at("id").get<std::string>() + ": " + hop.at("text").get<std::string>(), "latency [ns]") +
              byte_axis(few, "bytes", 0.8, 1.7) + "set title font ',12'\nset key font ',9' samplen 1.5\n" +
              fmt::format("set yrange [0:{}]\n", plot_number(1.35 * most)) + plot_lines(series) + "\nunset label\n";
  }
  return {kOverview, script + "unset multiplot\n", kWide, kTall};
}

// The number of the largest size, beside its point.
void label_last(LineSeries& series, double height) {
  series.labels.assign(series.points.size(), {});
  if (!series.points.empty()) series.labels.back() = fmt::format("{:.0f}", series.points.back().second);
  series.label_x = 2.8;
  series.label_y = height;
}

Figure rings_figure(const Json& data) {
  std::string hop;
  for (const Json& run : data.at("runs")) {
    if (run.at("set") == "rings") hop = run.at("hop");
  }
  const std::tuple<const char*, const char*, const char*, int> kinds[] = {
      {"sram", "SRAM", kRed, 5}, {"hbm", "HBM", kYellow, 7}, {"tcm", "TCM", kBlue, 9}};
  std::vector<LineSeries> series;
  for (const auto& [kind, word, colour, marker] : kinds) {
    series.push_back(
        curve(data, "rings", hop, "ipcq_read", kind, std::string(word) + ", slot written and read", colour));
    series.back().marker = marker;
    series.push_back(curve(data, "rings", hop, "ipcq", kind, std::string(word) + ", slot written only", colour));
    series.back().marker = marker - 1;
    series.back().dashed = true;
  }
  for (const LineSeries& one : series) require_runs(!one.points.empty(), "the memories");
  for (std::size_t s = 0; s < series.size(); ++s) label_last(series[s], s / 2 == 0 ? 0.35 : -0.15);
  const std::vector<double> all = tics(series[0]);
  double lowest = highest(series);
  for (const LineSeries& one : series) {
    for (const auto& [x, y] : one.points) lowest = std::min(lowest, y);
  }
  std::string slots = "A slot access takes";
  for (const SlotCost& cost : slot_costs(data.at("slots"))) {
    slots += fmt::format("{} {:g} ns + bytes / {:.4g} GB/s ({})", cost.kind == "tcm" ? "" : ",", cost.setup_ns,
                         cost.bandwidth_gbs(), cost.kind);
  }
  std::vector<std::string> lines = foot(data, slots + ", the way to the bank included.");
  return {
      kRings,
      chart_head("PE to PE, hop " + hop + ": message by memory of the ring (simulated)", "latency [ns], logarithmic") +
          "set bmargin 10\n" + caption(lines, kHeight) + byte_axis(all, "bytes", 0.7, 1.5) + "set key samplen 4\n" +
          fmt::format("set logscale y 2\nset yrange [{}:{}]\n", plot_number(lowest * 0.8),
                      plot_number(highest(series) * 3)) +
          plot_lines(series) + "\n",
      kWidth, kHeight};
}

}  // namespace

std::vector<std::string> pe2pe_figure_names() {
  std::vector<std::string> names{kOverview, kRings};
  for (const char* hop : kHops) names.push_back(std::string("pe2pe_") + hop);
  return names;
}

std::vector<Figure> pe2pe_figures(const Json& data) {
  std::vector<Figure> figures;
  for (const Json& hop : data.at("hops")) figures.push_back(hop_figure(data, hop));
  figures.push_back(overview_figure(data));
  figures.push_back(rings_figure(data));
  return figures;
}

}  // namespace kb::evaluate
