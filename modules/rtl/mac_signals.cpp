#include "modules/rtl/mac_signals.h"

#include <cstring>
#include <utility>

namespace kb::modules {

MacSignals::MacSignals(const sc_core::sc_module_name& name, const PinPlace& place, const RtlClock& clock,
                       IPinSource& source, MacArrayRunner array)
    : PinClock(name, place, clock, source), array_(std::move(array)) {}

void MacSignals::play(std::int64_t number, std::vector<MacOperands> parts) {
  for (MacOperands& part : parts) parts_.push_back({std::exchange(number, -1), std::move(part)});
  resume();
}

bool MacSignals::begins(std::int64_t number) const {
  if (parts_.empty() || playing_) return false;
  return parts_.front().number < 0 || parts_.front().number <= number;
}

void MacSignals::show(std::int64_t number) {
  const IMacArray::Outputs before = array_.outputs();
  IMacArray::Inputs in;
  if (playing_) {
    array_.advance(parts_.front().operands, false);
    in = array_.inputs();
    playing_ = array_.outputs().busy;
    if (!playing_) parts_.pop_front();
  }
  if (begins(number)) {
    array_.begin(parts_.front().operands);
    in = array_.inputs();
    playing_ = true;
  }
  set(in, before);
}

void MacSignals::set(const IMacArray::Inputs& in, const IMacArray::Outputs& before) {
  start_ = in.start;
  if (in.start) m_blocks_ = in.m_blocks, n_blocks_ = in.n_blocks, k_ = in.k;
  std::uint64_t operands = 0;
  std::memcpy(&operands, in.a.data(), sizeof operands), a_ = operands;
  std::memcpy(&operands, in.b.data(), sizeof operands), b_ = operands;
  busy_ = before.busy, in_ready_ = before.in_ready, skewed_ = before.skewed, out_valid_ = before.out_valid;
  block_m_ = before.block_m, block_n_ = before.block_n, step_ = before.step;
  if (!before.out_valid) return;
  out_row_ = before.out_row;
  sc_dt::sc_bv<32 * IMacArray::kSize> sums;
  for (int i = 0; i < IMacArray::kSize; ++i) {
    sums.set_word(i, static_cast<sc_dt::sc_digit>(before.sums[static_cast<std::size_t>(i)]));
  }
  sums_ = sums;
}

}  // namespace kb::modules
