#pragma once

#include <cstdint>

#include "platform/params/field_table.h"

namespace kb::params {

struct PeCpuParams {
  Nanoseconds overhead;
  std::int64_t dispatch_cycles = 0;
  Gigahertz clock{1.0};

  static const FieldTable& fields();
};

}  // namespace kb::params
