#pragma once

#include "platform/params/field_table.h"

namespace kb::params {

struct SramParams {
  Nanoseconds overhead{2.0};
  Megabytes size{32.0};

  static const FieldTable& fields();
};

}  // namespace kb::params
