#pragma once

#include <cstdint>

#include "platform/base/reuse_a.h"
#include "platform/params/field_table.h"

namespace kb::params {

struct PeSchedulerParams {
  Nanoseconds overhead;
  std::int64_t tile_m = 32;
  std::int64_t tile_k = 64;
  std::int64_t tile_n = 32;
  ReuseA reuse_a = ReuseA::automatic;
  bool charge_fetch_store = false;

  static const FieldTable& fields();
};

}  // namespace kb::params
