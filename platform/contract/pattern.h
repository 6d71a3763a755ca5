// A repeating pattern of memory contents.
#pragma once

#include <cstdint>

namespace kb::contract {

struct Pattern {
  std::uint64_t value = 0;  // little-endian element, `width` bytes
  std::uint8_t width = 1;   // 1, 2, 4 or 8
};

}  // namespace kb::contract
