// A mesh of 4 x 4 routers beside BookSim2: latency without load, latency over load, accepted load.
#include <fmt/format.h>

#include "platform/base/error.h"
#include "sim/evaluate/bars.h"
#include "sim/evaluate/lines.h"
#include "sim/evaluate/validation/built_in_data.h"
#include "sim/evaluate/validation/outside_figures.h"
#include "sim/evaluate/validation/section.h"
#include "sim/evaluate/validation/traffic.h"

namespace kb::evaluate {
namespace {

constexpr const char* kName = "mesh";
constexpr const char* kStart = "mesh4x4";
constexpr std::uint64_t kNodes = 16;
constexpr std::uint64_t kFlitBytes = 256;
constexpr std::uint64_t kSliceBytes = std::uint64_t{1} << 30;  // of machines/mesh.yaml
constexpr std::uint64_t kPlaces = 16384;                       // that a packet is written to, by draw
constexpr std::uint64_t kBegin = 4000, kEnd = 12000;           // ns between which is measured
constexpr std::uint64_t kApart = 1000;                         // ns between packets that are alone
constexpr std::uint64_t kSeed = 1;

// The first number of "mesh4x4 uniform 256 B", or the parameter of the runs without load.
std::uint64_t packet_bytes(const OutsideFigure& figure) {
  if (figure.parameter == "packet_bytes") return static_cast<std::uint64_t>(figure.parameter_value);
  const std::string start = std::string(kStart) + " uniform ";
  return std::stoull(figure.scenario.substr(start.size()));
}

bool is_loaded(const OutsideFigure& figure) {
  return figure.parameter == "load";
}

std::string id_of(const OutsideFigure& figure) {
  if (!is_loaded(figure)) return fmt::format("{}_{}_alone", kName, packet_bytes(figure));
  return fmt::format("{}_{}_{:.2f}", kName, packet_bytes(figure), figure.parameter_value);
}

// One packet at a time from every PE to every PE: the mean is exact.
std::string uncontended_packets(std::uint64_t bytes) {
  Trace trace(kSliceBytes);
  std::uint64_t issue = 0;
  for (std::uint64_t from = 0; from < kNodes; ++from) {
    for (std::uint64_t to = 0; to < kNodes; ++to, issue += kApart) {
      trace.add(issue, "pe_write", pe_at(0, 0, from), pe_at(0, 0, to), 0, bytes);
    }
  }
  return trace.take();
}

// Each ns each PE begins a packet with the probability that makes `load` flits per ns, as BookSim2 does.
std::string uniform_packets(std::uint64_t bytes, double load) {
  Trace trace(kSliceBytes);
  Draws draws(kSeed);
  const double probability = load * static_cast<double>(kFlitBytes) / static_cast<double>(bytes);
  for (std::uint64_t issue = 0; issue < kEnd; ++issue) {
    for (std::uint64_t from = 0; from < kNodes; ++from) {
      if (!draws.happens(probability)) continue;
      const std::uint64_t to = draws.below(kNodes);
      trace.add(issue, "pe_write", pe_at(0, 0, from), pe_at(0, 0, to), draws.below(kPlaces) * bytes, bytes);
    }
  }
  return trace.take();
}

std::string accepted_text(const Json& data) {
  std::string text = "Accepted of 0.95 flits/ns/node, kernbench / BookSim2:";
  for (const std::uint64_t bytes : {256u, 1024u}) {
    const std::string scenario = fmt::format("{} uniform {} B", kStart, bytes);
    const auto ours = curve_of(data, kName, scenario, "accepted", "value");
    const auto other = curve_of(data, kName, scenario, "accepted", "beside");
    require_runs(!ours.empty(), scenario);
    text += fmt::format(" {:.2f} / {:.2f} with {} B;", ours.front().second, other.front().second, bytes);
  }
  text.back() = '.';
  return text;
}

class MeshSection final : public ISection {
 public:
  std::string name() const override { return kName; }

  std::vector<Point> points(const topology::LoadedTopology&) const override {
    std::vector<Point> list;
    for (const OutsideFigure& figure : outside_figures(kStart)) {
      const std::uint64_t bytes = packet_bytes(figure);
      Point point;
      point.id = id_of(figure);
      point.params = {{"loaded", is_loaded(figure) ? "yes" : "no"}};
      point.trace = is_loaded(figure) ? uniform_packets(bytes, figure.parameter_value) : uncontended_packets(bytes);
      point.topology = kMeshMachine;
      point.grid = kMeshGrid;
      list.push_back(std::move(point));
    }
    return list;
  }

  Json row(const Point& point, const PointFiles& files) const override {
    const bool loaded = point.params.front().second == "yes";
    const double begin = loaded ? static_cast<double>(kBegin) : 0, end = static_cast<double>(kEnd);
    double latencies = 0, flits = 0;
    std::size_t packets = 0;
    for (const Transfer& packet : read_transfers(files.result)) {
      if (packet.delivered_ns >= begin && packet.delivered_ns < end) {
        flits += static_cast<double>(packet.bytes) / static_cast<double>(kFlitBytes);
      }
      if (packet.issue_ns < begin) continue;
      latencies += packet.delivered_ns - packet.issue_ns;
      ++packets;
    }
    if (packets == 0) throw Error::model("point " + point.id + " has no packets");
    return {{"packets", packets},
            {"latency", latencies / static_cast<double>(packets)},
            {"accepted", flits / (end - begin) / static_cast<double>(kNodes)}};
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
    std::vector<LineSeries> lines;
    for (const auto& [bytes, colour] : {std::pair(256, kBlue), std::pair(1024, kRed)}) {
      const std::string scenario = fmt::format("{} uniform {} B", kStart, bytes);
      const auto ours = curve_of(data, kName, scenario, "latency", "value");
      require_runs(!ours.empty(), scenario);
      lines.push_back({fmt::format("kernbench, packets of {} B", bytes), colour, ours});
      lines.push_back({fmt::format("BookSim2, packets of {} B", bytes),
                       colour,
                       curve_of(data, kName, scenario, "latency", "beside"),
                       {},
                       {},
                       true,
                       true});
    }
    return {"validation_mesh",
            chart_head("Mesh of 4 x 4 routers, uniform writes: latency over load", "mean latency of a packet [ns]") +
                "set bmargin 8\nset xlabel 'offered load [flits/ns/node]'\nset xrange [0:0.8]\nset yrange [0:*]\n" +
                caption({"One PE per router, links of 256 GB/s, 2 ns per router, flits of 256 B. The bytes of a packet "
                         "arrive as flits of 1 ns.",
                         accepted_text(data), made_by(data)},
                        kHeight) +
                plot_lines(lines) + "\n",
            kWidth, kHeight};
  }
};

}  // namespace

std::unique_ptr<ISection> mesh_section() {
  return std::make_unique<MeshSection>();
}

}  // namespace kb::evaluate
