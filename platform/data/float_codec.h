// f16 and f32 in bulk, without branches or tables, so that compilers vectorise the loops for any CPU (decision 0026).
#pragma once

#include <cstddef>

namespace kb::data {

// Exact; payloads of NaNs are kept. `bytes` need no alignment.
void f16_to_f32(const std::byte* bytes, std::size_t count, float* out);

// One rounding to nearest even, subnormals included; what is too large becomes infinite, every NaN the positive quiet
// one.
void f32_to_f16(const float* values, std::size_t count, std::byte* out);

}  // namespace kb::data
