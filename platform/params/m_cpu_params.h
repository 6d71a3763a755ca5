#pragma once

#include "platform/params/field_table.h"

namespace kb::params {

struct MCpuParams {
  Nanoseconds overhead{5.0};

  static const FieldTable& fields();
};

}  // namespace kb::params
