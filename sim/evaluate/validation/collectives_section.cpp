// Collectives of eight ranks beside alpha-beta bounds: a start per step and the bytes over the narrowest wire.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "platform/params/pe_math_params.h"
#include "platform/routing/address_resolver.h"
#include "platform/routing/latency.h"
#include "platform/routing/path_router.h"
#include "sim/evaluate/bars.h"
#include "sim/evaluate/files.h"
#include "sim/evaluate/lines.h"
#include "sim/evaluate/validation/built_in_data.h"
#include "sim/evaluate/validation/section.h"
#include "sim/evaluate/validation/traffic.h"

namespace kb::evaluate {
namespace {

constexpr const char* kName = "collectives";
constexpr double kRanks = 8;
constexpr std::uint64_t kSizes[] = {1024, 4096, 16384, 65536};  // bytes of a rank's tile or block
constexpr std::uint64_t kLargeBytes = 16384;
constexpr std::uint64_t kSlotBytes = 65536;
constexpr std::uint64_t kDtypeBytes = 2;

// The alpha-beta time of a schedule.
struct Bound {
  double starts = 0;  // messages one after the other
  double bytes = 0;   // times the size, over the narrowest wire
  double added = 0;   // times the size: what a rank adds
};

struct CollectiveCase {
  const char* id;
  const char* scenario;
  const char* machine;  // a topology file
  bool sips;            // ranks are SIPs, else PEs of a cube
  const char* workload;
  const char* algorithm;  // empty = the default
  Bound bound;
  double lowest, highest;  // of (time / bound), from kLargeBytes on
};

const std::vector<CollectiveCase>& cases() {
  constexpr double kOthers = kRanks - 1;
  // Reduce-scatter, then all-gather (Thakur, Rabenseifner, Gropp 2005). The default may send several blocks at once.
  constexpr Bound kTwoRings{2 * kOthers, 2 * kOthers / kRanks, kOthers / kRanks};
  static const std::vector<CollectiveCase> all = {
      {"pes", "all-reduce 8 PEs", kCubeMachine, false, "ccl-allreduce", "", kTwoRings, 0.25, 1.3},
      {"sips", "all-reduce 8 SIPs", kSipsMachine, true, "ccl-allreduce", "", kTwoRings, 0.25, 1.3},
      {"pes_ring", "all-reduce 8 PEs whole tiles", kCubeMachine, false, "ccl-allreduce", "ring_allreduce", kTwoRings, 1,
       12},
      {"reduce_scatter",
       "reduce-scatter 8 SIPs",
       kSipsMachine,
       true,
       "ccl-reduce-scatter",
       "",
       {kOthers, kOthers, kOthers},
       1,
       2.5},
      {"all_gather", "all-gather 8 SIPs", kSipsMachine, true, "ccl-all-gather", "", {kOthers, kOthers, 0}, 1, 2.5},
      {"broadcast", "broadcast 8 SIPs", kSipsMachine, true, "ccl-broadcast", "", {std::log2(kRanks), 1, 0}, 1, 16}};
  return all;
}

std::string id_of(const CollectiveCase& one, std::uint64_t bytes) {
  return fmt::format("{}_{}_{}", kName, one.id, bytes);
}

// Start and rate of a message between two ranks side by side, from the compiled graph.
struct AlphaBeta {
  double alpha_ns = 0;
  double elements_per_ns = 0;
  double gbs = std::numeric_limits<double>::infinity();
};

AlphaBeta alpha_beta(const CollectiveCase& one) {
  const topology::LoadedTopology machine = topology::load_text(one.machine, one.id);
  const routing::AddressResolver resolver(machine.graph);
  routing::PathRouter router(machine.graph);
  const PeCoord to = one.sips ? pe_at(1, 0, 0) : pe_at(0, 0, 1);
  const routing::Route& route = router.find_path(resolver.find_pe_node(pe_at(0, 0, 0), topology::NodeKind::pe_dma),
                                                 resolver.find_pe_node(to, topology::NodeKind::pe_dma));
  AlphaBeta found;
  const NodeId math = resolver.find_pe_node(pe_at(0, 0, 0), topology::NodeKind::pe_math);
  found.elements_per_ns = machine.graph.node(math).params.as<params::PeMathParams>().elements_per_ns.of(Dtype::f16);
  found.alpha_ns = fs_to_ns(routing::path_latency_fs(machine.graph, route, 0));
  for (const EdgeId id : route.edges) {
    const topology::Edge& edge = machine.graph.edge(id);
    if (edge.bw_gbs && *edge.bw_gbs > 0) found.gbs = std::min(found.gbs, *edge.bw_gbs);
  }
  return found;
}

class CollectivesSection final : public ISection {
 public:
  std::string name() const override { return kName; }

  std::vector<Point> points(const topology::LoadedTopology&) const override {
    std::vector<Point> list;
    for (const CollectiveCase& one : cases()) {
      for (const std::uint64_t bytes : kSizes) {
        Point point;
        point.id = id_of(one, bytes);
        point.workload = one.workload;
        point.params = {{"n_elem", std::to_string(bytes / kDtypeBytes)}};
        const bool chooses = one.workload == std::string("ccl-allreduce") && *one.algorithm == '\0';  // its slots too
        if (!chooses) point.params.emplace_back("slot_size", std::to_string(kSlotBytes));
        if (*one.algorithm != '\0') point.params.emplace_back("algorithm", one.algorithm);
        point.topology = one.machine;
        point.ccl = "{}\n";
        point.oplog = false;
        list.push_back(std::move(point));
      }
    }
    return list;
  }

  Json row(const Point&, const PointFiles& files) const override {
    const Json result = Json::parse(read_file(files.result));
    return {{"time_ns", result.at("figures").at(0).at("value")}};
  }

  std::vector<Measured> measured(const topology::LoadedTopology&, const RowMap& rows) const override {
    std::vector<Measured> list;
    for (const CollectiveCase& one : cases()) {
      const AlphaBeta cost = alpha_beta(one);
      for (const std::uint64_t bytes : kSizes) {
        const double size = static_cast<double>(bytes);
        const double bound = one.bound.starts * cost.alpha_ns + one.bound.bytes * size / cost.gbs +
                             one.bound.added * size / kDtypeBytes / cost.elements_per_ns;
        // Short messages wait for slots and credits, which alpha does not have.
        const double highest = bytes < kLargeBytes ? std::max(2.0, one.highest) : one.highest;
        list.push_back({kName, one.scenario, "bytes", size, "latency", rows.at(id_of(one, bytes)).at("time_ns"), "ns",
                        "alpha-beta time", bound, one.lowest * bound, highest * bound});
      }
    }
    return list;
  }

  Figure draw(const Json& data) const override {
    constexpr int kWidth = 1000, kHeight = 620;
    const char* const colours[] = {kBlue, kCyan, kRed, kGreen, kYellow, kPurple};
    std::vector<LineSeries> lines;
    for (std::size_t i = 0; i < cases().size(); ++i) {
      const char* const scenario = cases()[i].scenario;
      auto times = curve_of(data, kName, scenario, "latency", "value");
      const auto bounds = curve_of(data, kName, scenario, "latency", "beside");
      require_runs(!times.empty(), scenario);
      for (std::size_t at = 0; at < times.size(); ++at) times[at].second /= bounds[at].second;
      lines.push_back({scenario, colours[i], std::move(times)});
    }
    std::vector<double> sizes;
    for (const std::uint64_t size : kSizes) sizes.push_back(static_cast<double>(size));
    return {
        "validation_collectives",
        chart_head("Collectives of eight ranks: time / alpha-beta time", "times the alpha-beta time") +
            "set bmargin 7\nset yrange [0:*]\nset key outside right\n" +
            byte_axis(sizes, "bytes of a rank's tile or block") +
            caption({"Alpha-beta time: starts x latency of a path between neighbours + bytes / its narrowest wire + "
                     "additions; slots cost nothing there.",
                     made_by(data)},
                    kHeight) +
            plot_lines(lines) + "\n",
        kWidth, kHeight};
  }
};

}  // namespace

std::unique_ptr<ISection> collectives_section() {
  return std::make_unique<CollectivesSection>();
}

}  // namespace kb::evaluate
