// Two calls of GTKWave's FST library for a part of their instructions.
#pragma once

#include <cstdint>
#include <vector>

namespace kb::waves {

// Like fstWriterEmitTimeChange, and fstWriterEmitValueChange of a variable of one bit, for half of the instructions.
// Such calls of the library must not be mixed with those of `time`.
class FstFastPath {
 public:
  explicit FstFastPath(void* writer) : writer_(writer), times_(kTimes), next_(times_.data()) {}

  void time(std::uint64_t at);
  void bit(std::uint32_t handle, bool value);
  // Before the writer is closed.
  void finish();

 private:
  static constexpr std::size_t kTimes = std::size_t{1} << 16;  // bytes

  void* writer_;
  std::vector<unsigned char> times_;  // that the library has counted, and not yet got
  unsigned char* next_;
};

}  // namespace kb::waves
