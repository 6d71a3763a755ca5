#include "sim/evaluate/pe2pe/pe2pe_evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "platform/routing/address_resolver.h"
#include "platform/routing/path_router.h"
#include "sim/evaluate/files.h"
#include "sim/evaluate/launches.h"
#include "sim/evaluate/pe2pe/hops.h"
#include "sim/evaluate/pe_dma/scenarios.h"
#include "sim/evaluate/slot_costs.h"

namespace kb::evaluate {
namespace {

constexpr std::int64_t kSizes[] = {128, 256, 512, 1024, 2048, 4096, 6144, 8192, 10240};  // E-63
constexpr std::int64_t kRingSizes[] = {128, 1024, 8192, 32768, 65536};
constexpr std::int64_t kSmallestSlot = 4096;
constexpr const char* kDistances[] = {"cube", "cubes", "sips"};

struct Case {
  std::string set;  // "hops" or "rings"
  const Hop* hop;
  std::string method;  // of the workload pe-to-pe
  std::string buffer_kind;
  std::int64_t bytes;
  std::string id() const { return fmt::format("{}_{}_{}_{}_{}", set, hop->id, method, buffer_kind, bytes); }
};

std::vector<Case> cases_of(const std::vector<Hop>& hops) {
  std::vector<Case> cases;
  for (const Hop& hop : hops) {
    for (const char* method : {"ipcq", "dma"}) {
      for (const std::int64_t bytes : kSizes) cases.push_back({"hops", &hop, method, "tcm", bytes});
    }
  }
  // The rings' memories over the hop whose wires are the shortest between cubes, else the first one.
  const auto east = std::find_if(hops.begin(), hops.end(), [](const Hop& h) { return h.distance == Distance::cubes; });
  const Hop& hop = east != hops.end() ? *east : hops.front();
  for (const char* kind : {"tcm", "hbm", "sram"}) {
    for (const char* method : {"ipcq", "ipcq_read"}) {
      for (const std::int64_t bytes : kRingSizes) cases.push_back({"rings", &hop, method, kind, bytes});
    }
  }
  return cases;
}

std::vector<Hop> hops_of(const topology::LoadedTopology& machine) {
  std::vector<Hop> hops = pe_hops(machine);
  if (hops.empty()) {
    throw Error::configuration(
        machine.file + ": the evaluation pe2pe needs two PEs in a row or a column; take a machine with more PEs");
  }
  return hops;
}

Json hop_json(const topology::LoadedTopology& machine, const Hop& hop) {
  const topology::Graph& graph = machine.graph;
  const routing::AddressResolver resolver(graph);
  routing::PathRouter router(graph);
  const auto dma = [&](const PeCoord& pe) { return resolver.find_pe_node(pe, topology::NodeKind::pe_dma); };
  const routing::Route& route = router.find_path(dma(hop.from), dma(hop.to));
  double narrowest = 0;
  for (const EdgeId id : route.edges) {
    const double gbs = graph.edge(id).bw_gbs.value_or(0.0);
    if (gbs > 0 && (narrowest == 0 || gbs < narrowest)) narrowest = gbs;
  }
  return {{"id", hop.id},
          {"text", hop.text},
          {"distance", kDistances[static_cast<std::size_t>(hop.distance)]},
          {"from", pe_text(hop.from)},
          {"to", pe_text(hop.to)},
          {"wires", route.edges.size()},
          {"narrowest_gbs", narrowest}};
}

class Pe2PeEvaluation final : public IEvaluation {
 public:
  std::string name() const override { return "pe2pe"; }
  std::string data_file() const override { return "pe2pe.json"; }

  std::vector<Point> points(const topology::LoadedTopology& machine) const override {
    const std::vector<Hop> hops = hops_of(machine);
    std::vector<Point> list;
    for (const Case& one : cases_of(hops)) {
      Point point{one.id(),
                  "pe-to-pe",
                  {{"from", pe_text(one.hop->from)},
                   {"to", pe_text(one.hop->to)},
                   {"bytes", std::to_string(one.bytes)},
                   {"method", one.method}},
                  {},
                  fmt::format("defaults: {{ buffer_kind: {}, n_slots: 4, slot_size: {} }}\n", one.buffer_kind,
                              std::max(one.bytes, kSmallestSlot))};
      point.verify = true;
      point.oplog = false;
      list.push_back(std::move(point));
    }
    return list;
  }

  Json row(const Point& point, const PointFiles& files) const override {
    const Json result = Json::parse(read_file(files.result));
    // The first launch; a second one only brings what was received to where it can be compared.
    return {{"id", point.id}, {"latency_ns", figure_of(result, "critical path")}, {"correct", verified_all(result, 1)}};
  }

  Json data(const topology::LoadedTopology& machine, const std::vector<Json>& rows) const override {
    const std::vector<Hop> hops = hops_of(machine);
    Json pairs = Json::array(), memories = Json::array(), runs = Json::array();
    for (const Hop& hop : hops) pairs.push_back(hop_json(machine, hop));
    for (const SlotCost& cost : slot_costs(machine)) memories.push_back(cost.json());
    const std::vector<Case> cases = cases_of(hops);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const Case& one = cases[i];
      runs.push_back({{"set", one.set},
                      {"hop", one.hop->id},
                      {"method", one.method},
                      {"buffer_kind", one.buffer_kind},
                      {"bytes", one.bytes},
                      {"latency_ns", rows[i].at("latency_ns")},
                      {"correct", rows[i].at("correct")}});
    }
    const routing::AddressResolver resolver(machine.graph);
    const topology::Node& hbm = machine.graph.node(resolver.find_hbm(hops.front().to));
    const double burst_ns =
        static_cast<double>(machine.graph.spec.flit_bytes()) / hbm.params.as<params::HbmCtrlParams>().pc_bw.gbs;
    return {{"hbm_burst_ns", burst_ns}, {"hops", pairs}, {"slots", memories}, {"runs", runs}};
  }

  std::string csv(const Json& data) const override { return pe2pe_csv(data); }
  std::vector<Violation> check(const Json& data) const override { return check_pe2pe(data); }
  std::vector<Figure> figures(const Json& data) const override { return pe2pe_figures(data); }
  std::vector<std::string> figure_names() const override { return pe2pe_figure_names(); }
};

}  // namespace

std::unique_ptr<IEvaluation> pe2pe_evaluation(const EvaluationOptions& options) {
  refuse_others("pe2pe", options, {});
  return std::make_unique<Pe2PeEvaluation>();
}

}  // namespace kb::evaluate
