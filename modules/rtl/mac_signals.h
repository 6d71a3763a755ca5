// The pins of a MAC array as SystemC signals.
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "modules/rtl/mac_array.h"
#include "modules/rtl/pin_clock.h"

namespace kb::modules {

// The timing of a product with a known shape is not simulated again; therefore these pins have a separate array, which
// executes every product edge by edge with generated numbers. The ports are those of modules/rtl/sv/mac_array.sv;
// operands of all rows or columns form one number.
class MacSignals final : public PinClock {
 public:
  MacSignals(const sc_core::sc_module_name& name, const PinPlace& place, const RtlClock& clock, IPinSource& source,
             MacArrayRunner array);

  // The array takes the first part of a product at edge `number`, and each further part at the edge that ends the
  // previous one.
  void play(std::int64_t number, std::vector<MacOperands> parts);
  // Writes the signals of an edge. Called in a SystemC process.
  void show(std::int64_t number);

 private:
  struct Part {
    std::int64_t number = -1;  // edge that takes it; -1: the edge that ends the previous part
    MacOperands operands;
  };
  bool begins(std::int64_t number) const;
  void set(const IMacArray::Inputs& in, const IMacArray::Outputs& before);

  using Flag = sc_core::sc_signal<bool>;
  using Number = sc_core::sc_signal<std::uint32_t>;
  using Operands = sc_core::sc_signal<std::uint64_t>;

  MacArrayRunner array_;
  std::deque<Part> parts_;  // the first one is in progress when playing_
  bool playing_ = false;
  Flag start_{"start"}, busy_{"busy"}, in_ready_{"in_ready"}, skewed_{"skewed"}, out_valid_{"out_valid"};
  Number m_blocks_{"m_blocks"}, n_blocks_{"n_blocks"}, k_{"k"}, block_m_{"block_m"}, block_n_{"block_n"};
  Number step_{"step"}, out_row_{"out_row"};
  Operands a_{"a"}, b_{"b"};
  sc_core::sc_signal<sc_dt::sc_bv<32 * IMacArray::kSize>> sums_{"sums"};
};

}  // namespace kb::modules
