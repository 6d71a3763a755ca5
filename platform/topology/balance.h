// Detects parts of a machine whose bandwidth cannot be used, because they are attached to slower parts.
#pragma once

#include "platform/topology/machine_spec.h"
#include "platform/topology/spec_reader.h"

namespace kb::topology {

// Warns of an HBM that is faster than the PE's link, of a switch that is slower than its ports, and of fewer
// outstanding reads or writes than latency x bandwidth requires (T-37). The warnings do not stop a run.
void warn_of_unused_bandwidth(const MachineSpec& spec, ReadContext& context);

// Loads from (or stores to) the PE's own HBM slice by one PE that moves full tiles of B, one after the other.
struct LocalTransfers {
  double tile_bytes = 0;   // size of an f16 tile
  Bandwidth bw;            // bandwidth of the slice or of the PE's link, whichever is smaller
  double latency_ns = 0;   // latency of a transfer in addition to its serialisation, to the nearest flit
  double outstanding = 1;  // number of concurrent transfers

  // Little's law: the used fraction of the bandwidth, and the number of transfers that would saturate it.
  double used() const;
  int needed() const;
};
LocalTransfers local_reads(const MachineSpec& spec);
LocalTransfers local_writes(const MachineSpec& spec);

}  // namespace kb::topology
