#pragma once

#include <cstdint>

namespace kb::params {

// The resource that the engines of a PE share (P-39).
enum class SharedResource : std::uint8_t { accel_slot, none };

}  // namespace kb::params
