// 4-bit integers in two's complement, two per byte with the first one in the lower half, as INT4 of ONNX.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kb {

// Element `index` of the packed elements at `bytes`.
inline std::int8_t int4_at(const std::byte* bytes, std::size_t index) {
  const auto pair = std::to_integer<unsigned>(bytes[index / 2]);
  const auto bits = static_cast<int>(index % 2 == 0 ? pair & 15u : pair >> 4);
  return static_cast<std::int8_t>(bits < 8 ? bits : bits - 16);
}

}  // namespace kb
