// Bulk conversion of f16 and f32 without branches or tables, so that compilers vectorise the loops on any CPU (decision
// 0026).
#pragma once

#include <cstddef>

namespace kb::data {

// The conversion is exact and keeps NaN payloads. `bytes` need no alignment.
void f16_to_f32(const std::byte* bytes, std::size_t count, float* out);

// Rounds once to nearest even, subnormals included. Values that are too large become infinite, every NaN the positive
// quiet one.
void f32_to_f16(const float* values, std::size_t count, std::byte* out);

}  // namespace kb::data
