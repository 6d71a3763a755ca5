#include "sim/evaluate/allreduce/allreduce_evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "sim/evaluate/allreduce/plan.h"
#include "sim/evaluate/allreduce/reference.h"
#include "sim/evaluate/files.h"
#include "sim/evaluate/launches.h"

namespace kb::evaluate {
namespace {

constexpr const char* kEmptyLaunch = "empty_launch";

std::vector<std::pair<std::string, std::string>> parameters(const AllReduceCase& one, int centre, double tcm) {
  std::vector<std::pair<std::string, std::string>> list = one.grid.settings();
  list.emplace_back("cube.memory_map.tcm_size_mb", fmt::format("{:g}", tcm));
  if (one.cost != nullptr) {
    const std::string queues = "cube.pe_template.components.pe_ipcq.attrs.tcm_slot_";
    list.emplace_back(queues + "setup_ns", fmt::format("{:.17g}", one.cost->setup_ns));
    list.emplace_back(queues + "bw_gbs", fmt::format("{:.17g}", one.cost->bandwidth_gbs()));
  }
  list.emplace_back("n_elem", std::to_string(one.n_elem));
  list.emplace_back("dtype", "f16");
  list.emplace_back("root", std::to_string(one.root < 0 ? centre : one.root));
  return list;
}

// Cubes that the IO chiplets are connected to.
std::vector<int> port_cubes(const topology::MachineSpec& spec) {
  std::vector<int> cubes;
  for (const topology::IoChipletSpec& chiplet : spec.io_chiplets) {
    for (const topology::CubePortSpec& port : chiplet.cube_ports) {
      cubes.push_back(port.cube_y * spec.cube_mesh_w + port.cube_x);
    }
  }
  std::sort(cubes.begin(), cubes.end());
  cubes.erase(std::unique(cubes.begin(), cubes.end()), cubes.end());
  return cubes;
}

class AllReduceEvaluation final : public IEvaluation {
 public:
  explicit AllReduceEvaluation(const EvaluationOptions& options)
      : own_reference_(options.reference.empty()), reference_(load_reference(options.reference)) {}

  std::string name() const override { return "allreduce"; }
  std::string data_file() const override { return "allreduce.json"; }

  std::vector<Point> points(const topology::LoadedTopology& machine) const override {
    for (const char* key : {"count", "topology", "w", "h"}) {
      const auto found = machine.config.find(std::string("system.sips.") + key);
      if (found != machine.config.end() && found->second.origin == "--set") {
        throw Error(ErrorFamily::configuration, "USAGE_ERROR",
                    fmt::format("--set {}: the evaluation allreduce measures {} SIPs as a ring, a torus and a mesh; "
                                "leave this option out",
                                found->first, kAllReduceSips));
      }
    }
    const std::vector<SlotCost> costs = slot_costs(machine);
    std::vector<Point> list;
    for (const AllReduceCase& one : allreduce_cases(machine, costs)) {
      Point point{one.id(),
                  "ccl-allreduce",
                  parameters(one, centre_cube(machine.graph.spec), tcm_mib(machine)),
                  {},
                  ccl_text(one)};
      point.verify = one.verify;
      point.oplog = false;
      list.push_back(std::move(point));
    }
    Point empty{kEmptyLaunch, "noop", latency_grids().front().settings()};
    empty.oplog = false;
    list.push_back(std::move(empty));
    return list;
  }

  Json row(const Point& point, const PointFiles& files) const override {
    const Json result = Json::parse(read_file(files.result));
    const LaunchTimes times = launch_times(result);
    Json row{{"id", point.id},
             {"latency_ns", times.longest_ns},
             {"shortest_ns", times.shortest_ns},
             {"pes", times.pes},
             {"late_pes", times.late_pes}};
    if (point.verify) row["correct"] = verified_all(result, kAllReduceSips);
    return row;
  }

  Json data(const topology::LoadedTopology& machine, const std::vector<Json>& rows) const override {
    const topology::MachineSpec& spec = machine.graph.spec;
    const std::vector<SlotCost> costs = slot_costs(machine);
    Json memories = Json::array(), runs = Json::array();
    for (const SlotCost& cost : costs) memories.push_back(cost.json());
    const std::vector<AllReduceCase> cases = allreduce_cases(machine, costs);
    for (std::size_t i = 0; i < cases.size(); ++i) runs.push_back(run_json(spec, cases[i], rows[i]));
    const Json& empty = rows.back();
    return {{"sips", kAllReduceSips},
            {"sips_of_machine", spec.sip_count},
            {"dtype", "f16"},
            {"marked_bytes", kMarkedElements * kAllReduceItem},
            {"machine",
             {{"cube_mesh_w", spec.cube_mesh_w},
              {"cube_mesh_h", spec.cube_mesh_h},
              {"pes_per_cube", spec.pes_per_cube()},
              {"centre_cube", centre_cube(spec)},
              {"port_cubes", port_cubes(spec)},
              {"tcm_mib", tcm_mib(machine)}}},
            {"slots", memories},
            {"reference", reference_},
            {"empty_launch",
             {{"pes", empty.at("pes")},
              {"spread_ns", empty.at("latency_ns").get<double>() - empty.at("shortest_ns").get<double>()},
              {"late_pes", empty.at("late_pes")}}},
            {"runs", runs}};
  }

  void choose(Json& data) const override {
    if (!own_reference_) data["reference"] = reference_;
  }

  std::string csv(const Json& data) const override { return allreduce_csv(data); }
  std::vector<Violation> check(const Json& data) const override { return check_allreduce(data); }
  std::vector<Figure> figures(const Json& data) const override { return allreduce_figures(data); }
  std::vector<std::string> figure_names() const override { return allreduce_figure_names(); }
  std::vector<std::string> remarks(const Json& data) const override {
    if (data.at("sips_of_machine") == data.at("sips")) return {};
    return {fmt::format("measured with {} SIPs instead of the machine's {}", data.at("sips").dump(),
                        data.at("sips_of_machine").dump())};
  }

 private:
  static Json run_json(const topology::MachineSpec& spec, const AllReduceCase& one, const Json& row) {
    const std::int64_t bytes = one.n_elem * kAllReduceItem;
    Json run{{"set", one.set},
             {"topology", one.grid.topology},
             {"n_sips", kAllReduceSips},
             {"w", one.grid.w},
             {"h", one.grid.h},
             {"n_elem", one.n_elem},
             {"bytes_per_pe", bytes},
             {"bytes_per_sip", bytes * spec.cubes_per_sip()},
             {"buffer_kind", one.buffer_kind},
             {"slots_cost_as", one.stands_for.empty() ? one.buffer_kind : one.stands_for},
             {"root", one.root < 0 ? centre_cube(spec) : one.root},
             {"latency_ns", row.at("latency_ns")},
             {"pes", row.at("pes")}};
    if (row.contains("correct")) run["correct"] = row["correct"];
    return run;
  }

  bool own_reference_;
  Json reference_;
};

}  // namespace

std::vector<Json> allreduce_runs(const Json& data, const std::string& set) {
  std::vector<Json> runs;
  for (const Json& run : data.at("runs")) {
    if (run.at("set") == set) runs.push_back(run);
  }
  return runs;
}

std::unique_ptr<IEvaluation> allreduce_evaluation(const EvaluationOptions& options) {
  refuse_others("allreduce", options, {"--reference"});
  return std::make_unique<AllReduceEvaluation>(options);
}

}  // namespace kb::evaluate
