// The relations of sections 3 and 4 of chapter 09, and the table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/evaluate/allreduce/allreduce_evaluation.h"
#include "sim/evaluate/checker.h"
#include "sim/evaluate/csv.h"
#include "sim/evaluate/slot_costs.h"

namespace kb::evaluate {
namespace {

constexpr double kTolerance = 0.01;  // of the differences between memories

double latency(const Json& run) {
  return run.at("latency_ns").get<double>();
}

double bytes(const Json& run) {
  return run.at("bytes_per_pe").get<double>();
}

std::string text(const Json& run) {
  return fmt::format("{} of {} SIPs, {} B per PE, {} rings, root {}", run.at("topology").get<std::string>(),
                     run.at("n_sips").dump(), bytes(run), run.at("buffer_kind").get<std::string>(),
                     run.at("root").dump());
}

const Json* find(const std::vector<Json>& runs, const char* member, const std::string& value, double size) {
  for (const Json& run : runs) {
    if (run.at(member) == value && bytes(run) == size) return &run;
  }
  return nullptr;
}

void check_launch(Checker& checker, const Json& data) {
  const Json& empty = data.at("empty_launch");
  checker.expect(empty.at("spread_ns").get<double>() == 0, "E-12",
                 "the times of {} PEs in an empty kernel differ by {} ns", empty.at("pes").dump(),
                 empty.at("spread_ns").dump());
  checker.expect(empty.at("late_pes") == 0, "E-12", "{} PEs enter an empty kernel after the common start",
                 empty.at("late_pes").dump());
}

void check_sweep(Checker& checker, const Json& data) {
  std::map<std::string, const Json*> before, largest;
  const std::vector<Json> sweep = allreduce_runs(data, "sweep");
  for (const Json& run : sweep) {
    const std::string topology = run.at("topology");
    if (const Json* smaller = before[topology]) {
      checker.expect(latency(run) >= latency(*smaller), "E-41", "{}: {} ns, but {} B take {} ns", text(run),
                     latency(run), bytes(*smaller), latency(*smaller));
    }
    before[topology] = &run;
    largest[topology] = &run;
  }
  const Json *ring = largest["ring_1d"], *torus = largest["torus_2d"];
  if (ring != nullptr && torus != nullptr) {
    checker.expect(latency(*torus) < latency(*ring), "E-41", "{}: {} ns, not less than the ring's {} ns", text(*torus),
                   latency(*torus), latency(*ring));
  }
  // Between SIPs the way to the IO chiplet counts: a corner beside it can be as good (K-101).
  const Json& ports = data.at("machine").at("port_cubes");
  for (const Json& run : allreduce_runs(data, "roots")) {
    if (std::find(ports.begin(), ports.end(), run.at("root")) != ports.end()) continue;
    const Json* centre = find(sweep, "topology", run.at("topology"), bytes(run));
    if (centre == nullptr) continue;
    checker.expect(latency(*centre) <= latency(run), "E-76", "{}: {} ns, but from the centre {} ns", text(run),
                   latency(run), latency(*centre));
  }
}

// How much longer than with rings in the TCM, by size.
std::map<double, double> gaps(const std::vector<Json>& runs, const std::string& kind) {
  std::map<double, double> list;
  for (const Json& run : runs) {
    const Json* tcm = find(runs, "buffer_kind", "tcm", bytes(run));
    if (run.at("buffer_kind") == kind && tcm != nullptr) list[bytes(run)] = latency(run) - latency(*tcm);
  }
  return list;
}

void check_growth(Checker& checker, const std::vector<Json>& runs, const std::string& kind) {
  const std::map<double, double> found = gaps(runs, kind);
  if (found.size() < 2) return;
  double smaller = -1;
  for (const auto& [size, gap] : found) {
    checker.expect(gap > smaller, "E-45",
                   "rings in {} cost {} ns more than in the TCM for {} B, not more than for less", kind, gap, size);
    smaller = gap;
  }
  const auto share = [&](const std::pair<const double, double>& one) {
    return one.second / latency(*find(runs, "buffer_kind", "tcm", one.first));
  };
  checker.expect(share(*found.begin()) < share(*found.rbegin()), "E-45",
                 "rings in {} cost {:.1f} % more than in the TCM for {} B and {:.1f} % for {} B", kind,
                 100 * share(*found.begin()), found.begin()->first, 100 * share(*found.rbegin()),
                 found.rbegin()->first);
}

void check_buffers(Checker& checker, const Json& data) {
  const std::vector<Json> runs = allreduce_runs(data, "buffers"), stand_ins = allreduce_runs(data, "stand_ins");
  if (runs.empty()) return;
  const std::vector<SlotCost> costs = slot_costs(data.at("slots"));
  double most = 0;
  for (const Json& run : runs) most = std::max(most, bytes(run));
  // The order of the costs is the machine's; on the reference machine tcm < hbm < sram.
  std::vector<SlotCost> order = costs;
  std::stable_sort(order.begin(), order.end(),
                   [&](const SlotCost& a, const SlotCost& b) { return a.ns(most) < b.ns(most); });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Json *less = find(runs, "buffer_kind", order[i - 1].kind, most),
               *more = find(runs, "buffer_kind", order[i].kind, most);
    if (less == nullptr || more == nullptr || order[i - 1].ns(most) == order[i].ns(most)) continue;
    checker.expect(latency(*less) < latency(*more), "E-45", "{}: {} ns, not less than the {} ns with rings in {}",
                   text(*less), latency(*less), latency(*more), order[i].kind);
  }
  for (const SlotCost& cost : costs) {
    const SlotCost& tcm = slot_cost(costs, "tcm");
    if (cost.kind != "tcm" && cost.setup_ns >= tcm.setup_ns && cost.bandwidth_gbs() < tcm.bandwidth_gbs()) {
      check_growth(checker, runs, cost.kind);
    }
  }
  for (const Json& run : stand_ins) {
    const std::string kind = run.at("slots_cost_as");
    const Json *real = find(runs, "buffer_kind", kind, bytes(run)), *tcm = find(runs, "buffer_kind", "tcm", bytes(run));
    if (real == nullptr || tcm == nullptr) continue;
    const double expected = latency(run) - latency(*tcm), measured = latency(*real) - latency(*tcm);
    checker.expect(std::abs(measured - expected) <= kTolerance * std::abs(expected), "E-46",
                   "{}: {} ns more than with rings in the TCM; setup, bandwidth and hop of the slots make {} ns",
                   text(*real), measured, expected);
  }
}

}  // namespace

std::vector<Violation> check_allreduce(const Json& data) {
  Checker checker;
  check_launch(checker, data);
  for (const Json& run : data.at("runs")) {
    checker.expect(!run.contains("correct") || run.at("correct").get<bool>(), "E-37", "{}: wrong contents", text(run));
  }
  check_sweep(checker, data);
  check_buffers(checker, data);
  return checker.take();
}

std::string allreduce_csv(const Json& data) {
  std::string text =
      "set,topology,n_sips,w,h,n_elem,bytes_per_pe,bytes_per_sip,latency_ns,buffer_kind,slots_cost_as,"
      "root,pes,correct\n";
  for (const Json& run : data.at("runs")) {
    const auto word = [&](const char* name) { return run.at(name).get<std::string>(); };
    text += csv_line({word("set"), word("topology"), run.at("n_sips").dump(), run.at("w").dump(), run.at("h").dump(),
                      run.at("n_elem").dump(), run.at("bytes_per_pe").dump(), run.at("bytes_per_sip").dump(),
                      run.at("latency_ns").dump(), word("buffer_kind"), word("slots_cost_as"), run.at("root").dump(),
                      run.at("pes").dump(), run.contains("correct") ? run.at("correct").dump() : ""});
  }
  return text;
}

}  // namespace kb::evaluate
