#pragma once

#include <cstdint>

#include "platform/params/field_table.h"

namespace kb::params {

struct PeMmuParams {
  Nanoseconds overhead;
  std::int64_t page_size = 4096;
  Nanoseconds tlb_overhead;
  Nanoseconds update_overhead;

  static const FieldTable& fields();
};

}  // namespace kb::params
