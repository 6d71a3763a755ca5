#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "platform/ops/op_types.h"
#include "platform/params/field_table.h"
#include "platform/params/shared_resource.h"

namespace kb::params {

struct PeMathParams {
  Nanoseconds overhead;
  ElementRates elements_per_ns{256.0};
  std::int64_t queue_depth = 0;
  SharedResource shared_resource = SharedResource::accel_slot;
  // indexed by MathOp; no value = the sum of the operation's passes
  std::array<std::optional<double>, kMathOps> weights{};

  static const FieldTable& fields();
};

}  // namespace kb::params
