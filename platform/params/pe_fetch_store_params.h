#pragma once

#include <cstdint>

#include "platform/params/field_table.h"

namespace kb::params {

struct PeFetchStoreParams {
  Nanoseconds overhead;
  std::int64_t register_file_kb = 64;
  std::int64_t queue_depth = 0;

  static const FieldTable& fields();
};

}  // namespace kb::params
