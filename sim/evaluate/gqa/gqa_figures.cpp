// Operation counts per panel, all panels beside each other, times at the scale of a model, growth (E-71).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/evaluate/bars.h"
#include "sim/evaluate/gqa/gqa_evaluation.h"
#include "sim/evaluate/lines.h"

namespace kb::evaluate {
namespace {

constexpr double kNsPerUs = 1000;
constexpr int kWidth = 1000, kHeight = 580, kWide = 1180;  // pixels
constexpr const char* kOpLog = "gqa_op_log_";
constexpr const char* kComparison = "gqa_comparison";
constexpr const char* kHeadline = "gqa_headline";
constexpr const char* kScaling = "gqa_scaling";
constexpr const char* kPanels[] = {"single_user_prefill", "multi_user_prefill", "single_user_decode",
                                   "multi_user_decode"};
constexpr const char* kColours[] = {kBlue, kGreen, kCyan, kYellow, kRed};

std::string count_text(const std::string& name) {
  if (name == "gemm") return "GEMM commands";
  if (name == "ipcq_send") return "messages sent";
  if (name == "ipcq_recv") return "messages received";
  return name == "dma_read" ? "DMA reads" : "DMA writes";
}

std::string sizes_text(const Json& run) {
  return fmt::format("query heads {}, K/V heads {}, head dimension {}, context {}, f16", run.at("q_heads").dump(),
                     run.at("kv_heads").dump(), run.at("head_dim").dump(), run.at("context").dump());
}

std::string ranks_text(const Json& run) {
  return fmt::format("{} {} share a K/V head", run.at("n_ranks").dump(),
                     run.at("rank_axis") == 0 ? "PEs of a cube" : "cubes of a mesh row, PE 0 of each,");
}

std::string foot(const Json& data, const std::vector<std::string>& lines) {
  std::vector<std::string> all = lines;
  all.push_back(origin_of(data));
  return caption(all, kHeight);
}

// Room for the number above a bar on an axis that begins at 0.
std::string from_zero(double highest) {
  return fmt::format("set yrange [0:{}]\n", plot_number(highest > 0 ? highest * 1.15 : 1));
}

Figure op_log(const Json& data, const Json& run) {
  BarChart chart;
  BarSeries series{"", kBlue, {}, {}};
  double highest = 0;
  for (const std::string& name : gqa_counts()) {
    chart.groups.push_back(count_text(name) + "\n" + name);
    const double value = run.at("counts").at(name);
    series.values.emplace_back(value);
    highest = std::max(highest, value);
  }
  chart.series.push_back(std::move(series));
  const std::string panel = run.at("panel");
  return {kOpLog + panel,
          chart_head(fmt::format("Attention, {}: operations of all PEs (simulated)", run.at("text").get<std::string>()),
                     "number of operations") +
              "set key off\nset bmargin 9\n" +
              foot(data, {fmt::format("Kernel {}, wiring {}; {}; {} query token{}.",
                                      run.at("kernel").get<std::string>(), run.at("wiring").get<std::string>(),
                                      ranks_text(run), run.at("s_q").dump(), run.at("s_q") == 1 ? "" : "s"),
                          "Validation scale: " + sizes_text(run) + "; results checked against softmax in double."}) +
              from_zero(highest) + plot_bars(chart) + "\n",
          kWidth, kHeight};
}

Figure comparison(const Json& data) {
  const std::vector<Json> runs = gqa_runs(data, "validation");
  BarChart chart;
  double highest = 1;
  for (const Json& run : runs) {
    chart.groups.push_back(fmt::format("{}\n{} ranks, {} query token{}", run.at("text").get<std::string>(),
                                       run.at("n_ranks").dump(), run.at("s_q").dump(), run.at("s_q") == 1 ? "" : "s"));
  }
  std::size_t colour = 0;
  for (const std::string& name : gqa_counts()) {
    BarSeries series{count_text(name), kColours[colour++], {}, {}};
    for (const Json& run : runs) {
      const double value = run.at("counts").at(name);
      series.values.push_back(value > 0 ? std::optional<double>(value) : std::nullopt);  // a logarithm has no 0
      highest = std::max(highest, value);
    }
    chart.series.push_back(std::move(series));
  }
  return {kComparison,
          chart_head("Attention panels: operations of all PEs (simulated)", "number of operations, logarithmic") +
              "set key horizontal\nset bmargin 9\n" +
              foot(data, {"Validation scale: " + sizes_text(runs.front()) + ". No bar: none of these."}) +
              fmt::format("set logscale y\nset yrange [0.7:{}]\n", plot_number(highest * 5)) + plot_bars(chart) + "\n",
          kWide, kHeight};
}

Figure headline(const Json& data) {
  const std::vector<Json> runs = gqa_runs(data, "headline");
  BarChart chart;
  BarSeries series{"", kGreen, {}, {}};
  double highest = 1, lowest = 1e30;
  for (const Json& run : runs) {
    chart.groups.push_back(fmt::format("{}\n{} PEs work\n{} query token{}", run.at("text").get<std::string>(),
                                       run.at("working_pes").dump(), run.at("s_q").dump(),
                                       run.at("s_q") == 1 ? "" : "s"));
    const double time = run.at("pe_exec_ns").get<double>() / kNsPerUs;
    series.values.emplace_back(time);
    series.labels.push_back(fmt::format("{:.1f} µs\n{:.1f} TFLOP/s", time, run.at("gflops").get<double>() / 1000));
    highest = std::max(highest, time);
    lowest = std::min(lowest, time);
  }
  chart.series.push_back(std::move(series));
  return {
      kHeadline,
      chart_head("Attention at the scale of a model: time of the slowest PE (simulated)", "time [µs], logarithmic") +
          "set key off\nset bmargin 9\n" +
          foot(data, {"Head-line scale: " + sizes_text(runs.front()) + ". One SIP, timing only.",
                      "TFLOP/s: operations of both products over that time."}) +
          fmt::format("set logscale y\nset yrange [{}:{}]\n", plot_number(std::pow(10, std::floor(std::log10(lowest)))),
                      plot_number(highest * 5)) +
          plot_bars(chart) + "\n",
      kWidth, kHeight};
}

LineSeries growth(const std::vector<Json>& runs, const char* panel, const char* colour, int marker, bool rate) {
  LineSeries series{"", colour, {}, {}};
  series.marker = marker;
  for (const Json& run : runs) {
    if (run.at("panel") != panel) continue;
    const double value = rate ? run.at("gflops").get<double>() / 1000 : run.at("pe_exec_ns").get<double>() / kNsPerUs;
    series.title = run.at("text");
    series.points.emplace_back(run.at("queries_per_cube").get<double>(), value);
    series.labels.push_back(fmt::format("{:.1f}", value));
  }
  return series;
}

Figure scaling(const Json& data) {
  const std::vector<Json> runs = gqa_runs(data, "scaling");
  const auto panel = [&](const char* title, const char* axis, bool rate) {
    const std::vector<LineSeries> series{growth(runs, "multi_user_prefill", kBlue, 7, rate),
                                         growth(runs, "multi_user_decode", kRed, 5, rate)};
    double highest = 0, lowest = 1e30;
    for (const LineSeries& one : series) {
      for (const auto& [x, y] : one.points) {
        highest = std::max(highest, y);
        lowest = std::min(lowest, y);
      }
    }
    const std::string range =
        rate ? fmt::format("unset logscale y\nset yrange [0:{}]\n", plot_number(highest * 1.45))
             : fmt::format("set logscale y\nset yrange [{}:{}]\n", plot_number(lowest / 2), plot_number(highest * 6));
    return chart_head(title, axis) + "set title font ',12'\nset xlabel " + plot_text("queries per cube") +
           "\nset logscale x 2\nset xtics nomirror (1, 2, 4)\nset xrange [0.8:5]\n" + range + plot_lines(series) +
           "\nunset label\n";
  };
  return {kScaling,
          "set encoding utf8\n" +
              foot(data, {"Head-line scale: " + sizes_text(runs.front()) + "; " + ranks_text(runs.front()) +
                              ". One SIP, timing only.",
                          "Prefill: every rank has that many query tokens of its own; decode: all ranks work on that "
                          "many together. TFLOP/s: operations of both products over the time."}) +
              "set multiplot layout 1,2 margins 0.07,0.985,0.25,0.84 spacing 0.09,0.1 title " +
              plot_text("Attention, multi user: growth with the queries (simulated)") + " font ',14'\n" +
              panel("time of the slowest PE", "time [µs], logarithmic", false) +
              panel("products per time", "TFLOP/s", true) + "unset multiplot\n",
          kWide, kHeight};
}

}  // namespace

std::vector<std::string> gqa_figure_names() {
  std::vector<std::string> names{kComparison, kHeadline, kScaling};
  for (const char* panel : kPanels) names.push_back(std::string(kOpLog) + panel);
  return names;
}

std::vector<Figure> gqa_figures(const Json& data) {
  for (const char* set : {"validation", "headline", "scaling"}) require_runs(!gqa_runs(data, set).empty(), set);
  std::vector<Figure> figures;
  for (const Json& run : gqa_runs(data, "validation")) figures.push_back(op_log(data, run));
  figures.push_back(comparison(data));
  figures.push_back(headline(data));
  figures.push_back(scaling(data));
  return figures;
}

}  // namespace kb::evaluate
