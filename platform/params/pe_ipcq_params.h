#pragma once

#include "platform/params/field_table.h"

namespace kb::params {

struct PeIpcqParams {
  Nanoseconds overhead;
  Bandwidth tcm_slot_bw{512.0}, sram_slot_bw{512.0}, hbm_slot_bw{256.0};
  Nanoseconds tcm_slot_setup{0.0}, sram_slot_setup{2.0}, hbm_slot_setup{6.0};

  static const FieldTable& fields();
};

}  // namespace kb::params
