#pragma once

#include <cstdint>

namespace kb::contract {

// What a kernel may know of the speed of a PE, to choose how it divides its work. The defaults are the reference
// machine's.
struct PeRates {
  double memory_bytes_per_ns = 256;   // of the PE's HBM slice, its efficiency included
  double macs_per_ns = 4096;          // of two-byte floats
  std::uint64_t stripe_bytes = 2048;  // adjacent bytes of a slice that use all of its channels wherever they are
                                      // needed: a burst for each, or a single burst with a channel hash
};

}  // namespace kb::contract
