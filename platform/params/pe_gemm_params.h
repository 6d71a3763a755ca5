#pragma once

#include <cstdint>

#include "platform/params/field_table.h"
#include "platform/params/shared_resource.h"

namespace kb::params {

struct PeGemmParams {
  Nanoseconds overhead;
  MacRates macs_per_ns{4096.0};
  Granularity granularity{32, 64, 32};
  std::int64_t queue_depth = 0;
  SharedResource shared_resource = SharedResource::accel_slot;

  static const FieldTable& fields();
};

}  // namespace kb::params
