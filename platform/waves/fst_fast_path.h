// Like fstWriterEmitTimeChange, and fstWriterEmitValueChange of a variable of one bit, for half of the instructions.
#pragma once

#include <cstdint>

namespace kb::waves {

void emit_fst_time(void* writer, std::uint64_t at);
void emit_fst_bit(void* writer, std::uint32_t handle, bool value);

}  // namespace kb::waves
