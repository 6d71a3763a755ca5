#pragma once

#include <cstdint>

namespace kb::contract {

// The scope within which the kernels of one launch meet at a barrier.
enum class BarrierScope : std::uint8_t { cube, sip };

constexpr const char* barrier_scope_name(BarrierScope scope) {
  return scope == BarrierScope::cube ? "cube" : "SIP";
}

}  // namespace kb::contract
