// Which all-reduces are measured (E-34, E-43, E-76).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/topology/topology.h"
#include "sim/evaluate/slot_costs.h"

namespace kb::evaluate {

inline constexpr int kAllReduceSips = 6;
inline constexpr std::int64_t kAllReduceItem = 2;       // bytes of an f16
inline constexpr std::int64_t kMarkedElements = 49152;  // 96 KiB (E-39)

// Six SIPs.
struct SipGrid {
  std::string topology;
  int w = 0, h = 0;  // 0, 0 = a ring
  std::string id() const;
  std::string text() const;  // "torus 2 x 3"
  // Settings of the machine.
  std::vector<std::pair<std::string, std::string>> settings() const;
};

struct AllReduceCase {
  std::string set;  // of the data file
  SipGrid grid;
  std::int64_t n_elem = 0;
  std::string buffer_kind = "tcm";
  int root = -1;                   // cube; -1 = the centre
  const SlotCost* cost = nullptr;  // TCM slots that cost what those of another memory do
  std::string stands_for;          // that memory
  bool verify = false;
  std::string id() const;
};

const std::vector<SipGrid>& latency_grids();
// In the order of the data file. `costs` must live on.
std::vector<AllReduceCase> allreduce_cases(const topology::LoadedTopology& machine, const std::vector<SlotCost>& costs);

// Cubes at the corners of the mesh, the root of the reduction left out.
std::vector<int> corner_cubes(const topology::MachineSpec& spec);
int centre_cube(const topology::MachineSpec& spec);

// The TCM that holds rings of the largest tile in every direction, in MiB, or the machine's when that is larger.
double tcm_mib(const topology::LoadedTopology& machine);
std::string ccl_text(const AllReduceCase& one);

}  // namespace kb::evaluate
