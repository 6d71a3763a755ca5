// The three figures of E-27.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/evaluate/bars.h"
#include "sim/evaluate/gemm/gemm_evaluation.h"

namespace kb::evaluate {
namespace {

constexpr double kPercent = 100.0;
constexpr int kHeight = 620, kTallHeight = 900;  // pixels
constexpr const char* kBreakdown = "gemm_stage_breakdown";
constexpr const char* kMeasured = "gemm_mac_utilization_measured";
constexpr const char* kCompared = "gemm_mac_utilization_theoretical_vs_measured";

// Of data["runs"] or data["does_not_fit"].
std::vector<Json> drawn(const Json& data, const char* list) {
  const Json& excluded = data.at("figures").at("excluded");
  std::vector<Json> runs;
  for (const Json& run : data.at(list)) {
    if (run.at("variant") != data.at("figures").at("variant")) continue;
    if (std::find(excluded.begin(), excluded.end(), run.at("shape")) == excluded.end()) runs.push_back(run);
  }
  return runs;
}

std::vector<Json> drawn_runs(const Json& data) {
  return drawn(data, "runs");
}

std::string group_name(const Json& run) {
  const Json& tiles = run.at("tiles");
  const auto along = [&](const char* size) { return whole_number(tiles, size, 1, kMostTiles); };
  const std::int64_t count = along("m") * along("k") * along("n");
  std::string text =
      run.at("shape").get<std::string>() + "\n" + std::to_string(count) + (count == 1 ? " tile" : " tiles");
  if (run.at("under_tile")) text += "\nunder-tile";
  return text;
}

// Those without bars come last.
std::vector<std::string> group_names(const Json& data) {
  std::vector<std::string> names;
  for (const Json& run : drawn_runs(data)) names.push_back(group_name(run));
  for (const Json& run : drawn(data, "does_not_fit")) {
    names.push_back(run.at("shape").get<std::string>() + "\ndoes not fit\nthe TCM");
  }
  return names;
}

template <typename Value>
std::vector<std::optional<double>> values(const std::vector<Json>& runs, Value value) {
  std::vector<std::optional<double>> list;
  for (const Json& run : runs) list.push_back(value(run));
  return list;
}

std::string not_drawn(const Json& data) {
  std::string shapes;
  for (const Json& shape : data.at("figures").at("excluded")) {
    shapes += (shapes.empty() ? "" : ", ") + shape.get<std::string>();
  }
  return shapes.empty() ? "" : " Measured, not drawn: " + shapes + ".";
}

std::vector<std::string> origin(const Json& data) {
  const Json& tile = data.at("tile_sizes");
  const Json& platform = data.at("platform");
  const auto real = [&](const char* name) { return fmt::format("{:g}", platform.at(name).get<double>()); };
  std::string reads =
      fmt::format("HBM path {} GB/s, a read takes {} ns more ({} read engine{}", real("link_gbs"),
                  real("read_latency_ns"), platform.at("rd_engines").dump(), platform.at("rd_engines") == 1 ? "" : "s");
  if (platform.value("rd_outstanding", 1) > 1)
    reads += fmt::format(" of {} reads", platform.at("rd_outstanding").dump());
  if (platform.at("translation_ns") > 0) reads += fmt::format("; {} ns of it to translate", real("translation_ns"));
  std::string registers = fmt::format("TCM to registers {} GB/s", real("fetch_gbs"));
  if (platform.at("store_gbs") != platform.at("fetch_gbs")) registers += fmt::format(", back {}", real("store_gbs"));
  if (platform.at("fetch_overhead_ns") > 0) registers += fmt::format(", {} ns each time", real("fetch_overhead_ns"));
  return {
      fmt::format("Machine: tile {}x{}x{} {}, {} MAC/ns = {} ns per tile; {}); {}.", tile.at("m").dump(),
                  tile.at("k").dump(), tile.at("n").dump(), data.at("dtype").get<std::string>(), real("mac_per_ns"),
                  real("tile_ns"), reads, registers),
      fmt::format(
          "One composite (M x K) x (K x N) on {}; variant {}: A is in the TCM before, B is streamed tile by tile.{}",
          data.at("pe").get<std::string>(), data.at("figures").at("variant").get<std::string>(), not_drawn(data)),
      origin_of(data)};
}

std::string head(const Json& data, const std::string& title, const std::string& y_axis, int height) {
  return "set encoding utf8\nset title " + plot_text(title) + " font ',14'\nset ylabel " + plot_text(y_axis) +
         "\nset grid ytics linecolor rgb '#dddddd'\nset border 3\nset ytics nomirror\n"
         "set key top left horizontal Left reverse samplen 1.5\nset bmargin 8\n" +
         caption(origin(data), height);
}

Figure stage_breakdown(const Json& data) {
  const std::vector<Json> runs = drawn_runs(data);
  const auto wall = [&](const char* stage) {
    return values(runs, [&](const Json& run) { return run.at("stages").at(stage).at("wall_ns").get<double>(); });
  };
  BarChart chart;
  chart.groups = group_names(data);
  chart.series = {{"DMA in (B tiles)", kBlue, wall("DMA_READ")},
                  {"Fetch (TCM to registers)", kCyan, wall("FETCH")},
                  {"GEMM (MAC array)", kGreen, wall("GEMM")},
                  {"DMA out (C tiles)", kYellow, wall("DMA_WRITE")},
                  {"whole composite", kGrey,
                   values(runs, [](const Json& run) { return run.at("composite_window_ns").get<double>(); })}};
  chart.label_format = "{:.0f}";
  double highest = 1;
  for (const auto& value : chart.series.back().values) highest = std::max(highest, *value);
  return {kBreakdown,
          head(data, "GEMM composite: time in which each pipeline stage is busy (simulated)",
               "wall-clock of the stage [ns], logarithmic", kHeight) +
              fmt::format("set logscale y\nset yrange [1:{}]\n", plot_number(highest * 8)) + plot_bars(chart) + "\n",
          1280, kHeight};
}

Figure utilisation_measured(const Json& data) {
  const std::vector<Json> runs = drawn_runs(data);
  const auto share = [&](const char* metric) {
    return values(runs, [&](const Json& run) { return kPercent * run.at(metric).get<double>(); });
  };
  BarChart chart;
  chart.groups = group_names(data);
  chart.series = {
      {"GEMM utilisation: MAC array busy", kGreen, share("gemm_utilisation")},
      {"useful efficiency: busy with products that were wanted, not padding", kBlue, share("useful_efficiency")}};
  chart.label_format = "{:.1f}";
  return {kMeasured,
          head(data, "GEMM composite: utilisation of the MAC array (simulated)", "share of the composite window [%]",
               kHeight) +
              "set yrange [0:122]\nset ytics 0,20,100\n" + level(kPercent) + plot_bars(chart) + "\n",
          1100, kHeight};
}

std::string panel(const Json& data, const char* metric, const std::string& title, const std::string& y_axis) {
  const std::vector<Json> runs = drawn_runs(data);
  const auto model = [&](const char* name) {
    return values(runs, [&](const Json& run) { return kPercent * run.at("theory").at(name).at(metric).get<double>(); });
  };
  BarChart chart;
  chart.groups = group_names(data);
  chart.series = {
      {"analytic: bytes at full rate, a tile time per stage (E-29)", kGrey, model("ideal")},
      {"analytic: no schedule is faster (round trips, overheads)", kYellow, model("round_trips")},
      {"simulated", kGreen, values(runs, [&](const Json& run) { return kPercent * run.at(metric).get<double>(); })}};
  chart.label_format = "{:.1f}";
  return "set title " + plot_text(title) + " font ',12'\nset ylabel " + plot_text(y_axis) +
         "\nset yrange [0:138]\nset ytics 0,20,100\n" + plot_bars(chart) + "\n";
}

Figure utilisation_compared(const Json& data) {
  std::string script =
      "set encoding utf8\nset grid ytics linecolor rgb '#dddddd'\nset border 3\nset ytics nomirror\n"
      "set key top left horizontal Left reverse samplen 1.5\n" +
      caption(origin(data), kTallHeight) +
      "set multiplot layout 2,1 margins 0.07,0.985,0.16,0.90 spacing 0,0.17 title " +
      plot_text("GEMM composite: utilisation of the MAC array, analytic model and simulation") + " font ',14'\n" +
      panel(data, "gemm_utilisation", "GEMM utilisation", "of the window [%]") + "unset label\n" +
      panel(data, "useful_efficiency", "Useful efficiency (products that were wanted)", "of the window [%]") +
      "unset multiplot\n";
  return {kCompared, std::move(script), 1180, kTallHeight};
}

}  // namespace

std::vector<std::string> gemm_figure_names() {
  return {kBreakdown, kMeasured, kCompared};
}

std::vector<Figure> gemm_figures(const Json& data) {
  if (drawn_runs(data).empty()) return {};
  return {stage_breakdown(data), utilisation_measured(data), utilisation_compared(data)};
}

}  // namespace kb::evaluate
