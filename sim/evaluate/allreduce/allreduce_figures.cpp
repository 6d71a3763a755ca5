// Latency over sizes, memories of the rings, roots, and the comparison (E-38 .. E-44, E-76, E-90).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/evaluate/allreduce/allreduce_evaluation.h"
#include "sim/evaluate/bars.h"
#include "sim/evaluate/lines.h"
#include "sim/evaluate/slot_costs.h"

namespace kb::evaluate {
namespace {

constexpr double kNsPerUs = 1000;
constexpr int kWidth = 1080, kHeight = 620;  // pixels
constexpr const char* kXAxis = "bytes per PE (f16 tile of a cube, on its PE 0)";
constexpr const char* kOverview = "allreduce_latency";
constexpr const char* kBuffers = "allreduce_buffer_kinds";
constexpr const char* kRoots = "allreduce_roots";
constexpr const char* kComparison = "allreduce_comparison";

struct Topology {
  const char* id;
  const char* word;
  const char* colour;
  int marker;
};
constexpr Topology kTopologies[] = {
    {"ring_1d", "ring", kBlue, 7}, {"torus_2d", "torus", kGreen, 5}, {"mesh_2d_no_wrap", "mesh without wrap", kRed, 9}};

std::string grid_text(const Topology& topology, const Json& run) {
  if (run.at("w") == 0) return fmt::format("{} of {} SIPs", topology.word, run.at("n_sips").dump());
  return fmt::format("{} of {} x {} SIPs", topology.word, run.at("w").dump(), run.at("h").dump());
}

int root_of(const Json& run) {
  return static_cast<int>(whole_number(run, "root", 0, kMostCubes));
}

double us(const Json& run) {
  return run.at("latency_ns").get<double>() / kNsPerUs;
}

std::string machine_text(const Json& data) {
  const Json& machine = data.at("machine");
  return fmt::format(
      "Simulated: lrab_hierarchical_allreduce, sum of f16; every SIP has {} x {} cubes, PE 0 of each has a tile. "
      "Latency: longest time of a PE in the kernel.",
      machine.at("cube_mesh_w").dump(), machine.at("cube_mesh_h").dump());
}

std::string foot(const Json& data, const std::string& more = "") {
  std::vector<std::string> lines{machine_text(data)};
  if (!more.empty()) lines.push_back(more);
  lines.push_back(origin_of(data));
  return "set bmargin 8\n" + caption(lines, kHeight);
}

std::vector<Json> runs_of(const std::vector<Json>& runs, const char* member, const std::string& value) {
  std::vector<Json> list;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(list),
               [&](const Json& run) { return run.at(member) == value; });
  return list;
}

LineSeries curve(const std::string& title, const char* colour, int marker, const std::vector<Json>& runs,
                 bool labelled) {
  LineSeries series{title, colour, {}, {}};
  series.marker = marker;
  series.label_x = -1.6;
  for (const Json& run : runs) {
    series.points.emplace_back(run.at("bytes_per_pe").get<double>(), us(run));
    if (labelled) series.labels.push_back(fmt::format("{:.2f}", us(run)));
  }
  return series;
}

// Every size but the ones that stand too close to the marked one.
std::vector<double> sizes(const Json& data, const std::vector<Json>& runs) {
  const double marked = data.at("marked_bytes");
  std::vector<double> list;
  for (const Json& run : runs) {
    const double size = run.at("bytes_per_pe");
    if (std::find(list.begin(), list.end(), size) == list.end() && size != marked) list.push_back(size);
  }
  require_runs(!list.empty(), "other sizes than the marked one");
  return list;
}

double highest(const std::vector<LineSeries>& series) {
  double most = 0;
  for (const LineSeries& one : series) {
    for (const auto& [x, y] : one.points) most = std::max(most, y);
  }
  return most;
}

std::string mark(const Json& data) {
  const double marked = data.at("marked_bytes");
  return fmt::format(
      "set arrow from {0}, graph 0 to {0}, graph 1 nohead dashtype 3 linecolor rgb '#555555'\n"
      "set label {1} at {0}, graph 0.03 right offset -0.5,0 font ',9' textcolor rgb '#555555'\n",
      plot_number(marked), plot_text(byte_text(marked)));
}

// The overlay of E-40, when the reference has one.
std::vector<LineSeries> overlay(const Json& data, const std::vector<double>& at) {
  if (!data.at("reference").contains("curve")) return {};
  const Json& model = data.at("reference").at("curve");
  LineSeries series{"analytic: " + model.at("label").get<std::string>(), "#777777", {}, {}};
  series.marker = 0;
  series.dashed = true;
  for (const double size : at) {
    const double packets =
        size * data.at("machine").at("pes_per_cube").get<double>() / model.at("packet_bytes").get<double>();
    series.points.emplace_back(
        size, (model.at("startup_ns").get<double>() + model.at("per_packet_ns").get<double>() * packets) / kNsPerUs);
  }
  return {series};
}

std::vector<double> with_marked(const Json& data, std::vector<double> list) {
  list.push_back(data.at("marked_bytes"));
  return list;
}

Figure latency_figure(const Json& data, const std::string& name, const std::string& title,
                      std::vector<LineSeries> series) {
  const std::vector<double> tics = sizes(data, allreduce_runs(data, "sweep"));
  for (LineSeries& extra : overlay(data, with_marked(data, tics))) series.push_back(std::move(extra));
  const std::string origin = data.at("reference").contains("curve")
                                 ? "Analytic: " + data.at("reference").at("curve").at("origin").get<std::string>()
                                 : std::string();
  return {name,
          chart_head(title, "latency [µs]") + foot(data, origin) + byte_axis(tics, kXAxis) +
              fmt::format("set xrange [{}:{}]\n", plot_number(tics.front() * 0.75),
                          plot_number(data.at("marked_bytes").get<double>() * 1.6)) +
              fmt::format("set yrange [0:{}]\n", plot_number(1.2 * highest(series))) + mark(data) + plot_lines(series) +
              "\n",
          kWidth, kHeight};
}

std::string single_name(const Topology& topology) {
  return std::string(kOverview) + "_" + topology.id;
}

void add_latencies(std::vector<Figure>& figures, const Json& data) {
  const std::vector<Json> sweep = allreduce_runs(data, "sweep");
  std::vector<LineSeries> all;
  for (const Topology& topology : kTopologies) {
    const std::vector<Json> runs = runs_of(sweep, "topology", topology.id);
    if (runs.empty()) continue;
    const std::string title = grid_text(topology, runs.front());
    figures.push_back(latency_figure(data, single_name(topology),
                                     "All-reduce latency, " + title + ", message rings in the TCM (simulated)",
                                     {curve(title, topology.colour, topology.marker, runs, true)}));
    all.push_back(curve(title, topology.colour, topology.marker, runs, false));
  }
  figures.push_back(latency_figure(data, kOverview, "All-reduce latency by topology of the SIPs (simulated)", all));
}

// No room for two numbers where curves meet.
void clear_close_labels(const LineSeries& upper, LineSeries& lower) {
  constexpr double kClose = 0.05;
  for (std::size_t i = 0; i < lower.points.size() && i < upper.points.size(); ++i) {
    const double distance = std::abs(upper.points[i].second - lower.points[i].second);
    if (distance < kClose * lower.points[i].second && i < lower.labels.size()) lower.labels[i].clear();
  }
}

Figure buffers_figure(const Json& data) {
  const std::pair<const char*, const char*> kinds[] = {{"sram", kRed}, {"hbm", kYellow}, {"tcm", kBlue}};
  const std::vector<Json> runs = allreduce_runs(data, "buffers");
  const std::vector<SlotCost> costs = slot_costs(data.at("slots"));
  std::vector<LineSeries> series;
  int marker = 5;
  for (const auto& [kind, colour] : kinds) {
    const SlotCost& cost = slot_cost(costs, kind);
    std::string name = cost.kind;
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(c - 'a' + 'A'); });
    const std::string hop =
        cost.hop_gbs > 0 ? fmt::format(" + bytes / {:g} GB/s on the way to the bank", cost.hop_gbs) : std::string();
    series.push_back(curve(
        fmt::format("{}: a slot access takes {:g} ns + bytes / {:g} GB/s{}", name, cost.setup_ns, cost.bw_gbs, hop),
        colour, marker, runs_of(runs, "buffer_kind", kind), true));
    // Curves lie close together: numbers above the upper, to the right of the middle and below the lower one.
    series.back().label_x = marker == 7 ? 3.4 : 0;
    series.back().label_y = marker == 5 ? 0.8 : marker == 7 ? -0.4 : -0.9;
    if (series.size() > 1) clear_close_labels(series[series.size() - 2], series.back());
    marker += 2;
  }
  const std::vector<double> tics = sizes(data, runs);
  return {kBuffers,
          chart_head("All-reduce latency by memory of the message rings, torus of 3 x 2 SIPs (simulated)",
                     "latency [µs], logarithmic") +
              foot(data) + byte_axis(tics, kXAxis, 0.7, 1.4) +
              fmt::format("set logscale y 2\nset yrange [{}:{}]\n", plot_number(us(runs.front()) * 0.7),
                          plot_number(highest(series) * 3)) +
              plot_lines(series) + "\n",
          kWidth, kHeight};
}

Figure roots_figure(const Json& data) {
  const std::vector<Json> roots = allreduce_runs(data, "roots"), sweep = allreduce_runs(data, "sweep");
  const char* const colours[] = {kGreen, kBlue, kCyan, kYellow, kRed};
  const auto w = static_cast<int>(whole_number(data.at("machine"), "cube_mesh_w", 1, kMostCubes));
  BarChart chart;
  chart.label_format = "{:.1f}";
  const auto series_of = [&](int cube, const std::string& what) -> BarSeries& {
    const std::string title = fmt::format("{} (cube {}: column {}, row {})", what, cube, cube % w, cube / w);
    for (BarSeries& one : chart.series) {
      if (one.title == title) return one;
    }
    chart.series.push_back({title, colours[chart.series.size() % std::size(colours)], {}, {}});
    return chart.series.back();
  };
  double most = 0;
  for (const Topology& topology : kTopologies) {
    const std::vector<Json> corners = runs_of(roots, "topology", topology.id);
    for (const Json& run : runs_of(sweep, "topology", topology.id)) {
      if (run.at("bytes_per_pe") != data.at("marked_bytes")) continue;
      chart.groups.push_back(grid_text(topology, run));
      series_of(root_of(run), "centre").values.emplace_back(us(run));
    }
    for (const Json& run : corners) {
      series_of(root_of(run), "corner").values.emplace_back(us(run));
      most = std::max(most, us(run));
    }
  }
  return {kRoots,
          chart_head(fmt::format("All-reduce of {} per PE by root of the reduction in each SIP (simulated)",
                                 byte_text(data.at("marked_bytes"))),
                     "latency [µs]") +
              foot(data) + "set bmargin 7\n" + fmt::format("set yrange [0:{}]\n", plot_number(most * 1.5)) +
              plot_bars(chart) + "\n",
          kWidth, kHeight};
}

Figure comparison_figure(const Json& data) {
  const Json& point = data.at("reference").at("point");
  const std::vector<Json> sweep = allreduce_runs(data, "sweep");
  std::vector<LineSeries> series;
  for (const Topology& topology : kTopologies) {
    const std::vector<Json> runs = runs_of(sweep, "topology", topology.id);
    if (runs.empty()) continue;
    series.push_back(
        curve("simulated: " + grid_text(topology, runs.front()), topology.colour, topology.marker, runs, false));
  }
  const double size = point.at("bytes"), latency = point.at("latency_ns").get<double>() / kNsPerUs;
  LineSeries external{"external: " + point.at("label").get<std::string>(), kPurple, {{size, latency}}, {}};
  external.line = false;
  external.marker = 13;
  external.labels = {fmt::format("{:.1f}", latency)};
  series.push_back(external);
  const std::vector<double> tics = sizes(data, sweep);
  const double lowest =
      us(*std::min_element(sweep.begin(), sweep.end(), [](const Json& a, const Json& b) { return us(a) < us(b); }));
  return {kComparison,
          chart_head("All-reduce latency: simulation beside an external measurement", "latency [µs], logarithmic") +
              foot(data, "External: " + point.at("origin").get<std::string>() +
                             "; another machine, measured by others, sizes per device. No calibration.") +
              byte_axis(tics, kXAxis) +
              fmt::format("set xrange [{}:{}]\n", plot_number(std::min(tics.front(), size) * 0.75),
                          plot_number(std::max(data.at("marked_bytes").get<double>(), size) * 1.8)) +
              fmt::format("set logscale y 10\nset yrange [{}:{}]\nset ytics (1, 2, 5, 10, 20, 50, 100, 200, 500)\n",
                          plot_number(std::min(lowest, latency) * 0.6),
                          plot_number(std::max(highest(series), latency) * 4)) +
              mark(data) + plot_lines(series) + "\n",
          kWidth, kHeight};
}

}  // namespace

std::vector<std::string> allreduce_figure_names() {
  std::vector<std::string> names{kOverview, kBuffers, kRoots, kComparison, "allreduce_topology"};
  for (const Topology& topology : kTopologies) names.push_back(single_name(topology));
  return names;
}

std::vector<Figure> allreduce_figures(const Json& data) {
  require_runs(!allreduce_runs(data, "sweep").empty(), "the sweep");
  require_runs(!allreduce_runs(data, "buffers").empty(), "the memories");
  std::vector<Figure> figures;
  add_latencies(figures, data);
  figures.push_back(buffers_figure(data));
  if (!allreduce_runs(data, "roots").empty()) figures.push_back(roots_figure(data));
  if (data.at("reference").contains("point")) figures.push_back(comparison_figure(data));
  figures.push_back(allreduce_topology_figure(data));
  return figures;
}

}  // namespace kb::evaluate
