#pragma once

#include "platform/params/field_table.h"

namespace kb::params {

struct PeIpcqParams {
  // Cost of writing or reading a slot of a ring, for one kind of memory.
  struct SlotCost {
    Nanoseconds setup;
    Bandwidth bw;
  };
  SlotCost tcm_slot() const { return {tcm_slot_setup, tcm_slot_bw}; }
  SlotCost sram_slot() const { return {sram_slot_setup, sram_slot_bw}; }
  SlotCost hbm_slot() const { return {hbm_slot_setup, hbm_slot_bw}; }

  Nanoseconds overhead;
  Bandwidth tcm_slot_bw{512.0}, sram_slot_bw{512.0}, hbm_slot_bw{256.0};
  Nanoseconds tcm_slot_setup{0.0}, sram_slot_setup{2.0}, hbm_slot_setup{6.0};

  static const FieldTable& fields();
};

}  // namespace kb::params
