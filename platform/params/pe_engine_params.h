#pragma once

#include <cstdint>

#include "platform/params/field_table.h"
#include "platform/params/shared_resource.h"

namespace kb::params {

// Parameters of a plug-in's engine. The default of the rate is that of its row.
struct PeEngineParams {
  Nanoseconds overhead;
  ElementRates elements_per_ns{1.0};
  std::int64_t queue_depth = 0;
  SharedResource shared_resource = SharedResource::accel_slot;

  static const FieldTable& fields();
};

}  // namespace kb::params
