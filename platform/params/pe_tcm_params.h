#pragma once

#include "platform/params/field_table.h"

namespace kb::params {

struct PeTcmParams {
  Nanoseconds overhead;
  Megabytes size{2.0};
  Bandwidth read_bw{512.0};
  Bandwidth write_bw{512.0};

  static const FieldTable& fields();
};

}  // namespace kb::params
