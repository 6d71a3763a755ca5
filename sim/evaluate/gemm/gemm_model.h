// What an ideal tile pipeline would need for a GEMM, from the machine's own figures (E-29, E-30).
#pragma once

#include <cstdint>
#include <string>

#include "platform/base/granularity.h"
#include "platform/plan/pipeline_plan.h"
#include "platform/routing/uncontended_transfer.h"
#include "platform/topology/topology.h"
#include "sim/evaluate/evaluation.h"

namespace kb::evaluate {

struct GemmShape {
  std::int64_t m = 0, k = 0, n = 0;
  std::string text() const;  // "32x64x32"
};

// Which operands the kernel loads before the composite (E-19).
struct GemmVariant {
  std::string name;  // of the workload's parameter
  bool a_pinned = false;
  bool b_pinned = false;
};

plan::PipelinePlan plan_of(const GemmShape& shape, const GemmVariant& variant, const plan::TileShape& tile);

// Rates and latencies of one PE and its HBM slice. Times in ns, rates in bytes or products per ns; 0 GB/s = no limit.
struct GemmPlatform {
  plan::TileShape tile;
  Granularity granularity;  // in which the array works (P-28)
  double mac_per_ns = 0;    // of f16
  double gemm_overhead_ns = 0;
  double fetch_gbs = 0;          // TCM -> register file
  double store_gbs = 0;          // register file -> TCM
  double fetch_overhead_ns = 0;  // of each FETCH and each STORE
  double link_gbs = 0;           // the narrowest of the path PE_DMA <- HBM, pseudo-channels and efficiency included
  double write_link_gbs = 0;     // of the path PE_DMA -> HBM
  double memory_gbs = 0;         // of the slice's pseudo-channels, which reads and writes share
  double dma_overhead_ns = 0;    // of PE_DMA, before a transfer and behind it
  double translation_ns = 0;     // of an access: TLB or BAAW, whichever the address model uses
  routing::TransferPath path;    // PE_DMA to the slice and back
  bool channels = false;         // a request per HBM channel: latencies are not modelled then, only bytes
  int rd_engines = 1, wr_engines = 1;
  int rd_outstanding = 1;   // reads that a read engine has under way
  int pipeline_stages = 0;  // of a tile inside the K loop

  double product_ns(std::int64_t m, std::int64_t k, std::int64_t n) const;  // for which it occupies the array
  double tile_ns() const { return product_ns(tile.m, tile.k, tile.n); }     // of a full tile
  double read_ns(std::uint64_t bytes) const;   // for which a read keeps its engine when nothing is in its way
  double write_ns(std::uint64_t bytes) const;  // the same of a write, until the acknowledgement is back
  double read_latency_ns() const;              // of the read of a full tile of B, beyond its bytes at link_gbs
  Json json() const;
};
// Of the PE that the sweep runs on.
GemmPlatform gemm_platform(const topology::LoadedTopology& machine, const PeCoord& pe);

// No schedule of the plan's stages on the machine's engines is faster.
struct GemmTheory {
  double total_ns = 0;
  double utilisation = 0;  // of the MAC array, 0 .. 1
  double bound = 0;        // the same without filling and draining: what long runs approach
};
// The busiest of array, FETCH, STORE and links, and the pipeline filled once, a tile's time per stage (E-29).
GemmTheory ideal_theory(const GemmPlatform& platform, const GemmShape& shape, const GemmVariant& variant);
// A transfer also keeps its engine until the response is back (P-37), reads and writes share the memory, and each
// resource waits for the first tile to reach it and is followed by what the last tile has still before it.
GemmTheory round_trip_theory(const GemmPlatform& platform, const GemmShape& shape, const GemmVariant& variant);

// Of the array, all products of the shape's tiles together (E-30).
double array_ns(const GemmPlatform& platform, const GemmShape& shape);
// m k n of the shape against what its tiles occupy of the array (E-28): below 1 for under-tile and ragged shapes.
double useful_share(const GemmPlatform& platform, const GemmShape& shape);

}  // namespace kb::evaluate
