// The calls of GTKWave's FST library of which a waveform consists, written again for the case that nearly always holds.
// They are compiled with the library, whose context is not in its header.
#include "platform/waves/fst_fast_path.h"

#include <cstring>
#include <fstapi.c>

namespace kb::waves {
namespace {

unsigned char* put(unsigned char* to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) *to++ = static_cast<unsigned char>(number | 0x80);
  *to++ = static_cast<unsigned char>(number);
  return to;
}

}  // namespace

void FstFastPath::time(std::uint64_t at) {
  constexpr std::ptrdiff_t kLongest = 10;
  auto& context = *static_cast<fstWriterContext*>(writer_);
  const bool ends_section = context.flush_context_pending || context.vchg_siz >= context.fst_break_size;
  if (times_.data() + times_.size() - next_ < kLongest || ends_section) finish();
  if (context.is_initial_time || ends_section) {
    ::fstWriterEmitTimeChange(writer_, at);
    return;
  }
  next_ = put(next_, at - context.curtime);
  ++context.tchn_idx;
  ++context.tchn_cnt;
  context.curtime = at;
}

void FstFastPath::finish() {
  ::fwrite_unlocked(times_.data(), 1, static_cast<std::size_t>(next_ - times_.data()),
                    static_cast<fstWriterContext*>(writer_)->tchn_handle);
  next_ = times_.data();
}

void FstFastPath::bit(std::uint32_t handle, bool value) {
  constexpr std::uint32_t kRoom = 10;  // the place of the change before, the times since then, the digit
  auto& context = *static_cast<fstWriterContext*>(writer_);
  if (context.valpos_mem == nullptr || context.is_initial_time || context.vchg_siz + kRoom > context.vchg_alloc_siz) {
    ::fstWriterEmitValueChange(writer_, handle, value ? "1" : "0");
    return;
  }
  struct Variable {
    std::uint32_t place, bits, last_change, last_time;
  };
  auto& variable = reinterpret_cast<Variable*>(context.valpos_mem)[handle - 1];
  unsigned char* const begin = context.vchg_mem + context.vchg_siz;
  std::memcpy(begin, &variable.last_change, sizeof variable.last_change);
  unsigned char* to = put(begin + sizeof variable.last_change, context.tchn_idx - variable.last_time);
  *to++ = value ? '1' : '0';
  variable.last_change = context.vchg_siz;
  variable.last_time = context.tchn_idx;
  context.vchg_siz += static_cast<std::uint32_t>(to - begin);
}

}  // namespace kb::waves
