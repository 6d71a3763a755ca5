// One HBM slice beside DRAMSys: bandwidth of streams, random reads and copies, latency alone and at half load.
#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "sim/evaluate/bars.h"
#include "sim/evaluate/validation/built_in_data.h"
#include "sim/evaluate/validation/outside_figures.h"
#include "sim/evaluate/validation/section.h"
#include "sim/evaluate/validation/traffic.h"

namespace kb::evaluate {
namespace {

constexpr const char* kName = "memory";
constexpr const char* kStart = "HBM2";
constexpr std::uint64_t kSliceBytes = std::uint64_t{1} << 30;  // of machines/memory.yaml
constexpr std::uint64_t kAccesses = 16384;
constexpr std::uint64_t kApart = 1000;  // ns between accesses that are alone
constexpr double kHalfLoadGbs = 16.0;   // of 32 GB/s
constexpr std::uint64_t kHalfLoadNs = 100000;
constexpr std::uint64_t kSeed = 1;

std::uint64_t bytes_of(const OutsideFigure& figure) {
  return static_cast<std::uint64_t>(figure.parameter_value);
}

std::string id_of(const OutsideFigure& figure) {
  std::string id = fmt::format("{}_{}_{}", kName, figure.scenario.substr(5), bytes_of(figure));
  for (char& c : id) {
    if (c == ' ' || c == '(' || c == ')') c = '_';
  }
  return id;
}

void add_access(Trace& trace, std::uint64_t issue, const char* op, std::uint64_t offset, std::uint64_t bytes) {
  trace.add(issue, op, pe_at(0, 0, 0), pe_at(0, 0, 0), offset, bytes);
}

std::string trace_of(const OutsideFigure& figure) {
  Trace trace(kSliceBytes);
  Draws draws(kSeed);
  const std::uint64_t bytes = bytes_of(figure), places = kSliceBytes / bytes;
  const bool sequential = figure.scenario.find("sequential") != std::string::npos;
  const bool copy = figure.scenario.find("copy") != std::string::npos;
  if (figure.scenario.find("half load") != std::string::npos) {
    for (std::uint64_t issue = 0; issue < kHalfLoadNs; ++issue) {
      if (!draws.happens(kHalfLoadGbs / static_cast<double>(bytes))) continue;
      add_access(trace, issue, "pe_read", draws.below(places) * bytes, bytes);
    }
    return trace.take();
  }
  const std::uint64_t apart = figure.quantity == "latency" ? kApart : 0;
  for (std::uint64_t i = 0; i < kAccesses; ++i) {
    const std::uint64_t place = sequential || copy ? i : draws.below(places);
    const bool write = copy && i % 2 == 1;
    const std::uint64_t at = copy ? place / 2 * bytes + (write ? kSliceBytes / 2 : 0) : place * bytes;
    add_access(trace, i * apart, write ? "pe_write" : "pe_read", at, bytes);
  }
  return trace.take();
}

// "HBM2 random reads at half load" in lines that fit below a bar.
std::string short_name(const std::string& scenario) {
  std::string name = scenario.substr(std::min(scenario.size(), std::string(kStart).size() + 1));
  name = name.substr(0, name.find(" ("));
  const std::size_t at = name.find(" at ");
  if (at != std::string::npos) name[at] = '\n';
  return name;
}

class MemorySection final : public ISection {
 public:
  std::string name() const override { return kName; }

  std::vector<Point> points(const topology::LoadedTopology&) const override {
    std::vector<Point> list;
    for (const OutsideFigure& figure : outside_figures(kStart)) {
      Point point;
      point.id = id_of(figure);
      point.trace = trace_of(figure);
      point.topology = kMemoryMachine;
      list.push_back(std::move(point));
    }
    return list;
  }

  Json row(const Point& point, const PointFiles& files) const override {
    const std::vector<Transfer> accesses = read_transfers(files.result);
    if (accesses.empty()) throw Error::model("point " + point.id + " has no accesses");
    double latencies = 0, bytes = 0;
    for (const Transfer& access : accesses) {
      latencies += access.delivered_ns - access.issue_ns;
      bytes += static_cast<double>(access.bytes);
    }
    return {{"accesses", accesses.size()},
            {"latency", latencies / static_cast<double>(accesses.size())},
            {"bandwidth", bytes / last_delivered_ns(accesses)}};
  }

  std::vector<Measured> measured(const topology::LoadedTopology&, const RowMap& rows) const override {
    std::vector<Measured> list;
    for (const OutsideFigure& figure : outside_figures(kStart)) {
      list.push_back(beside(figure, kName, rows.at(id_of(figure)).at(figure.quantity)));
    }
    return list;
  }

  Figure draw(const Json& data) const override {
    constexpr int kWidth = 1000, kHeight = 620;
    BarChart chart;
    chart.series = {{"kernbench", kBlue, {}, {}}, {"DRAMSys", kGrey, {}, {}}};
    double top = 0;
    for (const Json& row : data.at("measured")) {
      if (row.at("section") != kName) continue;
      chart.groups.push_back(fmt::format("{}\n{:g} B [{}]", short_name(row.at("scenario")),
                                         row.at("parameter_value").get<double>(), row.at("unit").get<std::string>()));
      chart.series[0].values.push_back(row.at("value").get<double>());
      chart.series[1].values.push_back(row.at("beside").get<double>());
      top = std::max({top, row.at("value").get<double>(), row.at("beside").get<double>()});
    }
    require_runs(!chart.groups.empty(), "the memory");
    chart.label_format = "{:.1f}";
    return {"validation_memory",
            "set encoding utf8\nset title " + plot_text("One HBM slice, two pseudo-channels of 16 GB/s") +
                " font ',14'\nset ylabel 'bandwidth [GB/s], latency [ns]'\nset grid ytics linecolor rgb '#dddddd'\n"
                "set border 3\nset ytics nomirror\nset key top left\nset bmargin 8\nset xtics font ',9'\n" +
                caption({"Reads and copies of 16384 accesses; 34 ns of latency, units of 32 B, 95 % efficiency, as in "
                         "configs/hbm3.yaml.",
                         made_by(data)},
                        kHeight) +
                fmt::format("set yrange [0:{}]\n", plot_number(top * 1.25)) + plot_bars(chart) + "\n",
            kWidth, kHeight};
  }
};

}  // namespace

std::unique_ptr<ISection> memory_section() {
  return std::make_unique<MemorySection>();
}

}  // namespace kb::evaluate
