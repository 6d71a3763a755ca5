#include "sim/evaluate/pe_dma/pe_dma_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "sim/evaluate/files.h"
#include "sim/evaluate/pe_dma/paths.h"
#include "sim/evaluate/pe_dma/scenarios.h"

namespace kb::evaluate {
namespace {

constexpr const char* kDirections[] = {"write", "read"};

std::string trace_of(const DmaScenario& scenario, const std::string& direction, std::uint64_t slice_bytes) {
  std::string text = "id,issue_ns,op,src,dst,bytes\n";
  for (std::size_t i = 0; i < scenario.flows.size(); ++i) {
    const DmaFlow& flow = scenario.flows[i];
    const address::PhysAddr address =
        address::PhysAddr::pe_hbm_addr(flow.target.sip, flow.target.cube, flow.target.pe, flow.offset, slice_bytes);
    text += fmt::format("{},0,pe_{},{},0x{:x},{}\n", i, direction, pe_text(flow.issuer), address.value(), kDmaBytes);
  }
  return text;
}

// Times are whole femtoseconds; sums of doubles are not, and can be a negative zero.
double whole_fs(double ns) {
  return std::round(ns * 1e6) / 1e6 + 0.0;
}

Json breakdown_json(const DmaBreakdown& parts, double measured) {
  return {{"pe_setup", whole_fs(parts.pe_setup)},
          {"noc_mesh", whole_fs(parts.noc_mesh)},
          {"ucie", whole_fs(parts.ucie)},
          {"fabric", whole_fs(parts.fabric)},
          {"wire_transfer", whole_fs(parts.wire_transfer)},
          {"hbm_ctrl", whole_fs(parts.hbm_ctrl)},
          {"contention", whole_fs(measured - parts.sum())}};
}

class PeDmaEvaluation final : public IEvaluation {
 public:
  std::string name() const override { return "pe-dma"; }
  std::string data_file() const override { return "pe_dma.json"; }

  std::vector<Point> points(const topology::LoadedTopology& machine) const override {
    std::vector<Point> list;
    for (const char* direction : kDirections) {
      for (const DmaScenario& scenario : dma_scenarios(machine)) {
        list.push_back({fmt::format("{}_{}", direction, scenario.name),
                        {},
                        {{"direction", direction}, {"scenario", scenario.name}},
                        trace_of(scenario, direction, machine.graph.spec.hbm_slice_bytes())});
      }
    }
    return list;
  }

  Json row(const Point& point, const PointFiles& files) const override {
    const Json result = Json::parse(read_file(files.result));
    double delivered = 0, completed = 0;
    for (const Json& flow : result.at("rows")) {
      if (flow.at("status") != "OK") {
        throw Error::model("a transfer of point " + point.id + " was answered " + flow.at("status").dump());
      }
      delivered = std::max(delivered, flow.at("delivered_ns").get<double>());
      completed = std::max(completed, flow.at("completed_ns").get<double>());
    }
    return {{"direction", point.params[0].second},
            {"scenario", point.params[1].second},
            {"total_ns", delivered},
            {"completed_ns", completed}};
  }

  Json data(const topology::LoadedTopology& machine, const std::vector<Json>& rows) const override {
    const std::vector<DmaScenario> scenarios = dma_scenarios(machine);
    Json runs = Json::array();
    for (const Json& row : rows) {
      const auto scenario = std::find_if(scenarios.begin(), scenarios.end(),
                                         [&](const DmaScenario& s) { return s.name == row.at("scenario"); });
      runs.push_back(run_json(machine, *scenario, row));
    }
    const topology::MachineSpec& spec = machine.graph.spec;
    const DmaFlow& first = scenarios.front().flows.front();
    const routing::AddressResolver resolver(machine.graph);
    const topology::Node& hbm = machine.graph.node(resolver.find_hbm(first.target));
    return {{"bytes_per_issuer", kDmaBytes},
            {"flit_bytes", spec.flit_bytes()},
            {"machine",
             {{"sips", spec.sip_count},
              {"cubes_per_sip", spec.cubes_per_sip()},
              {"pes_per_cube", spec.pes_per_cube()},
              {"hbm_overhead_ns", fs_to_ns(hbm.overhead)}}},
            {"runs", runs}};
  }

  std::string csv(const Json& data) const override { return pe_dma_csv(data); }
  std::vector<Violation> check(const Json& data) const override { return check_pe_dma(data); }
  std::vector<Figure> figures(const Json& data) const override { return pe_dma_figures(data); }
  std::vector<std::string> figure_names() const override { return pe_dma_figure_names(); }

 private:
  static Json run_json(const topology::LoadedTopology& machine, const DmaScenario& scenario, const Json& row) {
    DmaPaths paths(machine, row.at("direction") == "read");
    const DmaFlow& first = scenario.flows.front();
    const double total = row.at("total_ns");
    const double bytes = static_cast<double>(kDmaBytes) * static_cast<double>(scenario.flows.size());
    const double single = paths.single_peak(first), aggregate = paths.aggregate_peak(scenario.flows);
    Json run{{"direction", row.at("direction")},
             {"scenario", scenario.name},
             {"set", scenario.congestion ? "congestion" : "no_congestion"},
             {"issuers", scenario.flows.size()},
             {"first_issuer", pe_text(first.issuer)},
             {"first_target", pe_text(first.target)},
             {"bytes", bytes},
             {"total_ns", total},
             {"completed_ns", row.at("completed_ns")},
             {"effective_gbs", bytes / total},
             {"single_peak_gbs", single},
             {"aggregate_peak_gbs", aggregate},
             {"util_single", bytes / total / single},
             {"util_aggregate", bytes / total / aggregate}};
    // Under congestion: of the flow that would take longest alone.
    DmaBreakdown longest;
    for (const DmaFlow& flow : scenario.flows) {
      const DmaBreakdown parts = paths.breakdown(flow, kDmaBytes);
      if (parts.sum() > longest.sum()) longest = parts;
    }
    run["breakdown_ns"] = breakdown_json(longest, total);
    return run;
  }
};

}  // namespace

std::unique_ptr<IEvaluation> pe_dma_evaluation(const EvaluationOptions& options) {
  refuse_others("pe-dma", options, {});
  return std::make_unique<PeDmaEvaluation>();
}

}  // namespace kb::evaluate
