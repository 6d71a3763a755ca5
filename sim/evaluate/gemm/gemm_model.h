// What an ideal tile pipeline would need for a GEMM, from the machine's own figures (E-29, E-30).
#pragma once

#include <cstdint>
#include <string>

#include "platform/plan/pipeline_plan.h"
#include "platform/topology/topology.h"
#include "sim/evaluate/evaluation.h"

namespace kb::evaluate {

struct GemmShape {
  std::int64_t m = 0, k = 0, n = 0;
  std::string text() const;  // "32x64x32"
};

// Which operands the kernel loads before the composite (E-19).
struct GemmVariant {
  std::string name;  // of the bench's parameter
  bool a_pinned = false;
  bool b_pinned = false;
};

plan::PipelinePlan plan_of(const GemmShape& shape, const GemmVariant& variant, const plan::TileShape& tile);

// Rates and latencies of one PE and its HBM slice. Times in ns, rates in bytes or products per ns.
struct GemmPlatform {
  plan::TileShape tile;
  double mac_per_ns = 0;
  double gemm_overhead_ns = 0;
  double fetch_gbs = 0;  // TCM -> register file
  double link_gbs = 0;   // the narrowest of the path PE_DMA <- HBM, pseudo-channels and their efficiency included
  double read_latency_ns =
      0;  // of a read, beyond its bytes at link_gbs: the command's way there, one burst, the way back
  int rd_engines = 1;
  int pipeline_stages = 0;  // of a tile inside the K loop

  double tile_ns() const;  // of a product of a full tile
  Json json() const;
};
// Of the PE that the sweep runs on.
GemmPlatform gemm_platform(const topology::LoadedTopology& machine, const PeCoord& pe);

// Steady state of the slowest stage, plus filling the pipeline once.
struct GemmTheory {
  double total_ns = 0;
  double utilisation = 0;  // of the MAC array, 0 .. 1
  double bound = 0;        // the same without filling: what long runs approach
};
// `round_trips`: a read keeps its engine until the data is back (P-37); else only bytes count (E-29).
GemmTheory gemm_theory(const GemmPlatform& platform, const GemmShape& shape, const GemmVariant& variant,
                       bool round_trips);

// m k n of the shape against m k n of its full tiles (E-28): below 1 for under-tile and ragged shapes.
double useful_share(const GemmShape& shape, const plan::TileShape& tile);

}  // namespace kb::evaluate
