#include "sim/evaluate/allreduce/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kb::evaluate {
namespace {

constexpr std::int64_t kSweep[] = {8, 16, 32, 64, 128, 512, 1024, 2048, 4096, 8192, 16384, 32768, kMarkedElements};
constexpr std::int64_t kBuffers[] = {512, 4096, 16384, 32768};
constexpr std::uint64_t kSlots = 4, kSmallestSlot = 4096;  // the defaults of ccl.yaml
constexpr std::uint64_t kDirections = 8;                   // N S E W among cubes and among SIPs
constexpr double kMib = 1024.0 * 1024.0;

}  // namespace

std::string SipGrid::id() const {
  return w == 0 ? topology : fmt::format("{}_{}x{}", topology, w, h);
}

std::string SipGrid::text() const {
  if (topology == "ring_1d") return fmt::format("ring of {}", kAllReduceSips);
  return fmt::format("{} {} x {}", topology == "torus_2d" ? "torus" : "mesh", w, h);
}

std::vector<std::pair<std::string, std::string>> SipGrid::settings() const {
  std::vector<std::pair<std::string, std::string>> list{{"system.sips.count", std::to_string(kAllReduceSips)},
                                                        {"system.sips.topology", topology}};
  if (w > 0) {
    list.emplace_back("system.sips.w", std::to_string(w));
    list.emplace_back("system.sips.h", std::to_string(h));
  }
  return list;
}

std::string AllReduceCase::id() const {
  std::string text = fmt::format("{}_{}_{}", set, grid.id(), n_elem);
  if (set == "buffers" || set == "stand_ins") text += "_" + (stands_for.empty() ? buffer_kind : stands_for);
  if (root >= 0) text += fmt::format("_root{}", root);
  return text;
}

const std::vector<SipGrid>& latency_grids() {
  static const std::vector<SipGrid> grids{{"ring_1d", 0, 0}, {"torus_2d", 2, 3}, {"mesh_2d_no_wrap", 2, 3}};
  return grids;
}

int centre_cube(const topology::MachineSpec& spec) {
  return spec.cube_mesh_h / 2 * spec.cube_mesh_w + spec.cube_mesh_w / 2;
}

std::vector<int> corner_cubes(const topology::MachineSpec& spec) {
  const int last_column = spec.cube_mesh_w - 1, last_row = (spec.cube_mesh_h - 1) * spec.cube_mesh_w;
  std::vector<int> cubes{0, last_column, last_row, last_row + last_column};
  std::sort(cubes.begin(), cubes.end());
  cubes.erase(std::unique(cubes.begin(), cubes.end()), cubes.end());
  cubes.erase(std::remove(cubes.begin(), cubes.end(), centre_cube(spec)), cubes.end());
  return cubes;
}

std::vector<AllReduceCase> allreduce_cases(const topology::LoadedTopology& machine,
                                           const std::vector<SlotCost>& costs) {
  std::vector<AllReduceCase> cases;
  for (const SipGrid& grid : latency_grids()) {
    for (const std::int64_t n_elem : kSweep) {
      cases.push_back({"sweep", grid, n_elem, "tcm", -1, nullptr, {}, true});
    }
  }
  const SipGrid torus{"torus_2d", 3, 2};
  for (const SlotCost& cost : costs) {
    for (const std::int64_t n_elem : kBuffers) {
      cases.push_back({"buffers", torus, n_elem, cost.kind, -1, nullptr, {}, true});
      if (cost.kind != "tcm") cases.push_back({"stand_ins", torus, n_elem, "tcm", -1, &cost, cost.kind, false});
    }
  }
  for (const SipGrid& grid : latency_grids()) {
    for (const int root : corner_cubes(machine.graph.spec)) {
      cases.push_back({"roots", grid, kMarkedElements, "tcm", root, nullptr, {}, false});
    }
  }
  return cases;
}

double tcm_mib(const topology::LoadedTopology& machine) {
  const topology::MachineSpec& spec = machine.graph.spec;
  const double rings = static_cast<double>(kDirections * kSlots * kMarkedElements * kAllReduceItem);
  const double needed = static_cast<double>(spec.tcm_scheduler_reserved_bytes + spec.tcm_kernel_scratch_bytes) + rings;
  return std::max(static_cast<double>(spec.tcm_bytes_per_pe) / kMib, std::ceil(needed / kMib));
}

std::string ccl_text(const AllReduceCase& one) {
  const std::uint64_t slot = std::max(kSmallestSlot, static_cast<std::uint64_t>(one.n_elem * kAllReduceItem));  // E-36
  return fmt::format(
      "defaults: {{ algorithm: lrab_hierarchical_allreduce, buffer_kind: {}, n_slots: {}, slot_size: {} "
      "}}\nalgorithms: {{ lrab_hierarchical_allreduce: {{}} "
      "}}\n",
      one.buffer_kind, kSlots, slot);
}

}  // namespace kb::evaluate
