// The figures of E-55, E-56 and E-58, for writes and for reads.
#include <fmt/format.h>

#include <algorithm>

#include "sim/evaluate/bars.h"
#include "sim/evaluate/pe_dma/pe_dma_evaluation.h"

namespace kb::evaluate {
namespace {

constexpr double kPercent = 100.0;
constexpr double kHighest = 150.0;            // of the axis, in percent (E-55)
constexpr int kWidth = 1180, kHeight = 660;   // pixels
constexpr std::int64_t kMostParts = 1 << 20;  // of one kind in a machine
constexpr std::size_t kLineLength = 13;       // of a name under a bar

std::vector<Json> runs_of(const Json& data, const std::string& direction, const std::string& set) {
  std::vector<Json> runs;
  for (const Json& run : data.at("runs")) {
    if (run.at("direction") == direction && run.at("set") == set) runs.push_back(run);
  }
  return runs;
}

// "REMOTE_CUBE_PE_REMOTE_BEST" in lines that fit below a bar.
std::string wrapped(const std::string& name) {
  std::string text, line;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('_', begin), name.size());
    const std::string word = name.substr(begin, end - begin);
    if (!line.empty() && line.size() + 1 + word.size() > kLineLength) {
      text += line + "_\n";
      line.clear();
    }
    line += (line.empty() ? "" : "_") + word;
    begin = end + 1;
  }
  return text + line;
}

std::vector<std::string> group_names(const std::vector<Json>& runs) {
  std::vector<std::string> names;
  for (const Json& run : runs) {
    names.push_back(fmt::format("{}\nN={}", wrapped(run.at("scenario").get<std::string>()), run.at("issuers").dump()));
  }
  return names;
}

std::string scope(const Json& data, const std::string& set) {
  const Json& machine = data.at("machine");
  if (set == "no_congestion") return "one PE alone";
  return fmt::format(
      "PEs of one cube ({}) and of SIP 0 ({})", machine.at("pes_per_cube").dump(),
      whole_number(machine, "pes_per_cube", 1, kMostParts) * whole_number(machine, "cubes_per_sip", 1, kMostParts));
}

// Routes are the shortest in time, which can surprise.
bool leaves_its_cubes(const Json& run) {
  const auto sip = [&](const char* member) {
    const std::string name = run.at(member).get<std::string>();
    return name.substr(0, name.find('.'));
  };
  return sip("first_issuer") == sip("first_target") && run.at("breakdown_ns").at("fabric") > 0;
}

std::string head(const Json& data, const std::string& title, const std::string& y_axis, bool over_the_chiplet = false) {
  const double kib = data.at("bytes_per_issuer").get<double>() / 1024;
  return "set encoding utf8\nset title " + plot_text(title) + " font ',14'\nset ylabel " + plot_text(y_axis) +
         "\nset grid ytics linecolor rgb '#dddddd'\nset border 3\nset ytics nomirror\n"
         "set key top left horizontal Left reverse samplen 1.5\nset bmargin 9\n" +
         caption({fmt::format("{:g} KiB per issuer (N), all at time 0, until the last byte is delivered. Every PE to "
                              "or from an HBM "
                              "partition: raw transfers at the fabric side of PE_DMA.",
                              kib) +
                      (over_the_chiplet ? " Cubes at an IO chiplet reach each other over it when that is faster." : ""),
                  origin_of(data)},
                 kHeight);
}

std::string bands() {
  const auto band = [](double from, double to, const char* colour) {
    return fmt::format(
        "set object rectangle from graph 0, first {} to graph 1, first {} behind fillcolor rgb '{}' fillstyle "
        "solid 1.0 noborder\n",
        from, to, colour);
  };
  return band(0, 40, "#fbe9e7") + band(40, 70, "#fdf6de") + band(70, 100, "#e9f5ea");
}

const char* preposition(const std::string& direction) {
  return direction == "read" ? "from" : "to";
}

std::string utilisation_name(const std::string& direction, const std::string& set) {
  return fmt::format("pe_dma_{}_{}", direction, set);
}

std::string breakdown_name(const std::string& direction, const std::string& set) {
  return fmt::format("pe_dma_{}_breakdown_{}", direction, set);
}

Figure utilisation(const Json& data, const std::string& direction, const std::string& set) {
  const std::vector<Json> runs = runs_of(data, direction, set);
  BarChart chart;
  chart.groups = group_names(runs);
  chart.series = {{"of a single path's peak", kBlue, {}, {}}, {"of the aggregate peak of all paths", kGreen, {}, {}}};
  double top = kPercent;
  const char* const metrics[] = {"util_single", "util_aggregate"};
  for (std::size_t s = 0; s < 2; ++s) {
    for (const Json& run : runs) {
      const double percent = kPercent * run.at(metrics[s]).get<double>();
      chart.series[s].values.push_back(std::min(percent, kHighest));
      top = std::max(top, std::min(percent, kHighest));
      std::string label = fmt::format("{:.0f}", percent);
      if (percent > kHighest) label = "↑ " + label;
      if (s == 1) label += fmt::format("\n{:.0f} GB/s", run.at("effective_gbs").get<double>());
      chart.series[s].labels.push_back(label);
    }
  }
  const std::string title = fmt::format("PE_DMA {}s {} HBM partitions: utilisation, {} (simulated)", direction,
                                        preposition(direction), scope(data, set));
  return {utilisation_name(direction, set),
          head(data, title, "effective bandwidth / peak [%]") + bands() +
              fmt::format("set yrange [0:{}]\nset ytics 0,20,140\n", top * 1.25) + level(kPercent) + plot_bars(chart) +
              "\n",
          kWidth, kHeight};
}

Figure breakdown(const Json& data, const std::string& direction, const std::string& set) {
  const std::vector<Json> runs = runs_of(data, direction, set);
  const std::tuple<const char*, const char*, const char*> parts[] = {
      {"pe_setup", "issuing PE", kPurple},
      {"noc_mesh", "routers and mesh", kBlue},
      {"ucie", "UCIe", kCyan},
      {"fabric", "IO chiplet, PCIe (gathers messages), switch", kYellow},
      {"hbm_ctrl", "HBM controller", kRed},
      {"wire_transfer", "bytes on the narrowest wire", kGreen},
      {"contention", "waiting for others", kGrey}};
  BarChart chart;
  chart.groups = group_names(runs);
  for (const auto& [member, title, colour] : parts) {
    BarSeries series{title, colour, {}, {}};
    for (const Json& run : runs) {
      series.values.push_back(std::max(0.0, run.at("breakdown_ns").at(member).get<double>()));
    }
    const auto present = [](const std::optional<double>& value) { return *value > 0; };
    if (std::any_of(series.values.begin(), series.values.end(), present)) chart.series.push_back(std::move(series));
  }
  require_runs(!chart.series.empty(), "parts that take time");
  // Together, times differ by orders of magnitude: shares of each, with the time above.
  const bool shares = set == "congestion";
  double highest = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double total = runs[i].at("total_ns").get<double>();
    highest = shares ? kPercent : std::max(highest, total);
    for (BarSeries& series : chart.series) series.values[i] = *series.values[i] * (shares ? kPercent / total : 1.0);
    chart.series.back().labels.push_back(fmt::format("{:.0f} ns", total));
  }
  const std::string title = fmt::format("PE_DMA {}s {} HBM partitions: where the time goes, {} (simulated)", direction,
                                        preposition(direction), scope(data, set));
  return {
      breakdown_name(direction, set),
      head(data, title,
           shares ? "share of the time until everything is delivered [%]" : "time until everything is delivered [ns]",
           std::any_of(runs.begin(), runs.end(), leaves_its_cubes)) +
          fmt::format("set yrange [0:{}]\n{}", plot_number(highest * 1.3), shares ? "set ytics 0,20,100\n" : "") +
          plot_stacked(chart) + "\n",
      kWidth, kHeight};
}

constexpr const char* kDirections[] = {"write", "read"};
constexpr const char* kSets[] = {"no_congestion", "congestion"};

}  // namespace

std::vector<std::string> pe_dma_figure_names() {
  std::vector<std::string> names;
  for (const char* direction : kDirections) {
    for (const char* set : kSets) {
      names.push_back(utilisation_name(direction, set));
      names.push_back(breakdown_name(direction, set));
    }
  }
  return names;
}

std::vector<Figure> pe_dma_figures(const Json& data) {
  std::vector<Figure> figures;
  for (const char* direction : kDirections) {
    for (const char* set : kSets) {
      if (runs_of(data, direction, set).empty()) continue;
      figures.push_back(utilisation(data, direction, set));
      figures.push_back(breakdown(data, direction, set));
    }
  }
  return figures;
}

}  // namespace kb::evaluate
