// Rounds a partial burst up to the memory's access granularity (C-HBM-8).
#pragma once

#include <cstdint>

#include "platform/params/hbm_ctrl_params.h"
#include "platform/payload/transaction.h"

namespace kb::modules {

// Bursts transfer whole units; only the last burst of a transaction can be shorter than `burst`.
struct AccessUnit {
  std::uint32_t unit = 256;  // bytes, a power of two; also `burst`
  std::uint32_t burst = 256;

  static AccessUnit of(const params::HbmCtrlParams& params) {
    return {static_cast<std::uint32_t>(params.access_bytes), static_cast<std::uint32_t>(params.burst_bytes)};
  }

  std::uint32_t last_bytes(const payload::Transaction& t) const {
    return (static_cast<std::uint32_t>(t.last_flit_bytes) + unit - 1) / unit * unit;
  }
  bool ends_in_part(const payload::Transaction& t) const { return unit < burst && last_bytes(t) < burst; }
};

}  // namespace kb::modules
