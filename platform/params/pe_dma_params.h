#pragma once

#include <cstdint>

#include "platform/params/field_table.h"

namespace kb::params {

struct PeDmaParams {
  Nanoseconds overhead;
  std::int64_t rd_engines = 1;
  std::int64_t rd_outstanding = 1;
  std::int64_t wr_engines = 1;
  std::int64_t wr_outstanding = 1;
  std::int64_t queue_depth = 0;
  Nanoseconds baaw_overhead;

  static const FieldTable& fields();
};

}  // namespace kb::params
