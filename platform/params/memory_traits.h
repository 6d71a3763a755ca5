// What formulas, warnings and findings may know of an HBM controller, whatever implements it.
#pragma once

#include "platform/base/units.h"
#include "platform/params/param_set.h"

namespace kb::params {

struct MemoryTraits {
  std::int64_t channels = 1;              // pseudo-channels
  Bandwidth channel_bw;                   // of one of them; none before it is derived
  TimeFs access = 0_fs;                   // of an idle memory: from the end of a burst's transfer to its data
  TimeFs write_access = 0_fs;             // likewise, until a write is acknowledged
  std::uint64_t access_bytes = 256;       // a part of a burst costs whole units of this
  double efficiency = 1.0;                // of the link to the router
  const char* latency_key = "access_ns";  // attribute that decides `access`
};

// `kind`: HbmCtrlParams. `impl`: parameters of its implementation, if it has any. Of builtin.hbm_banked: a burst that
// opens a row of an idle bank, and is one row's (C-DRAM-6, C-DRAM-11); of plug-ins: what the kind's parameters say.
MemoryTraits memory_traits(const ParamSet& kind, const ParamSet& impl);

// Most that an HBM slice gives, for rooflines: of its channels, which serve reads and writes, or of the wire to its
// router, each direction of which has the bandwidth `wire`. `fuller` is the share of the bytes in the fuller direction:
// 1 when all are reads.
Bandwidth slice_bandwidth(std::int64_t channels, Bandwidth channel, Bandwidth wire, double fuller);

}  // namespace kb::params
