// Parts of a machine that can never pay, because what they are attached to is slower.
#pragma once

#include "platform/topology/machine_spec.h"
#include "platform/topology/spec_reader.h"

namespace kb::topology {

// Warns of an HBM faster than the PE's link, of a switch slower than its ports, and of fewer outstanding reads or
// writes than latency x bandwidth asks for (T-37). A finding does not stop a run.
void warn_of_waste(const MachineSpec& spec, ReadContext& context);

// What one PE can load from its own HBM slice, or store to it, when it moves full tiles of B, one after the other.
struct LocalTransfers {
  double tile_bytes = 0;   // of f16
  Bandwidth bw;            // of the slice or the PE's link, whichever is slower
  double latency_ns = 0;   // of a transfer beyond its bytes at that rate, to the nearest flit
  double outstanding = 1;  // transfers under way at the same time

  // Little's law: the part of the bandwidth that is used, and how many transfers would use all of it.
  double used() const;
  int needed() const;
};
LocalTransfers local_reads(const MachineSpec& spec);
LocalTransfers local_writes(const MachineSpec& spec);

}  // namespace kb::topology
