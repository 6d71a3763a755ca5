// The single transfers that a probe measures (H-84 .. H-91), derived from the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/memory_kind.h"
#include "platform/topology/graph.h"
#include "sim/ports/traffic/traffic.h"

namespace kb::sim {

inline constexpr std::uint64_t kProbeBytes = 32 * kKiB;  // H-86

enum class ProbeCategory { h2d, d2h, pe_dma, sram_tcm };
std::string_view probe_category_name(ProbeCategory category);  // "H2D"

struct ProbeCase {
  std::string name;  // "h2d-1hop"
  ProbeCategory category{};
  TraceOp op{};
  PeCoord src;     // for PE cases
  PeCoord target;  // owner of the HBM slice or TCM; the cube of an SRAM
  MemoryKind memory = MemoryKind::hbm;
  int hops = 0;         // H2D and D2H: number of cubes on the path, including the target
  std::string skipped;  // reason when this machine does not have the case; otherwise empty
};

// All cases of the catalogue in order. The hop cases use the cubes in a straight line from the first cube port; the
// cube cases use the neighbour and the opposite corner of the mesh (H-85); the last HBM case crosses SIPs (H-89); SRAM
// and TCM cases follow.
std::vector<ProbeCase> probe_cases(const topology::MachineSpec& spec);

// The trace row of one case. Model Error for a skipped case.
TraceRow probe_row(const ProbeCase& probe, const topology::MachineSpec& spec);

}  // namespace kb::sim
