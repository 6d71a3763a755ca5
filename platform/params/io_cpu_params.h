#pragma once

#include "platform/params/field_table.h"

namespace kb::params {

struct IoCpuParams {
  Nanoseconds overhead{10.0};

  static const FieldTable& fields();
};

}  // namespace kb::params
