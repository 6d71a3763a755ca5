// The two calls of GTKWave's FST library that a waveform consists of, written again for the case that nearly always
// holds. They are compiled with the library, whose context is not in its header.
#include "platform/waves/fst_fast_path.h"

#include <cstring>
#include <fstapi.c>

namespace kb::waves {

void emit_fst_time(void* writer, std::uint64_t at) {
  auto& context = *static_cast<fstWriterContext*>(writer);
  if (context.is_initial_time || context.flush_context_pending || context.vchg_siz >= context.fst_break_size) {
    ::fstWriterEmitTimeChange(writer, at);
    return;
  }
  std::uint64_t step = at - context.curtime;
  for (; step >= 0x80; step >>= 7) putc_unlocked(static_cast<int>(step & 0x7f) | 0x80, context.tchn_handle);
  putc_unlocked(static_cast<int>(step), context.tchn_handle);
  ++context.tchn_idx;
  ++context.tchn_cnt;
  context.curtime = at;
}

void emit_fst_bit(void* writer, std::uint32_t handle, bool value) {
  constexpr std::uint32_t kRoom = 10;  // the place of the change before, the times since then, the digit
  auto& context = *static_cast<fstWriterContext*>(writer);
  if (context.valpos_mem == nullptr || context.is_initial_time || context.vchg_siz + kRoom > context.vchg_alloc_siz) {
    ::fstWriterEmitValueChange(writer, handle, value ? "1" : "0");
    return;
  }
  struct Variable {
    std::uint32_t place, bits, last_change, last_time;
  };
  auto& variable = reinterpret_cast<Variable*>(context.valpos_mem)[handle - 1];
  unsigned char* to = context.vchg_mem + context.vchg_siz;
  std::memcpy(to, &variable.last_change, sizeof variable.last_change);
  to += sizeof variable.last_change;
  std::uint32_t times = context.tchn_idx - variable.last_time;
  for (; times >= 0x80; times >>= 7) *to++ = static_cast<unsigned char>(times | 0x80);
  *to++ = static_cast<unsigned char>(times);
  *to++ = value ? '1' : '0';
  variable.last_change = context.vchg_siz;
  variable.last_time = context.tchn_idx;
  context.vchg_siz = static_cast<std::uint32_t>(to - context.vchg_mem);
}

}  // namespace kb::waves
