// The block format of LZ4, for many small blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kb::waves {

// Packs blocks that can be unpacked one by one. A chain of changes has tens of bytes, and liblz4 clears a table of
// 16 KiB for each; here entries of the blocks before are told apart by their positions.
class Lz4Packer {
 public:
  Lz4Packer();
  // Writes fewer than `size` bytes to `to` and returns their number; 0 when it cannot.
  std::size_t pack(const unsigned char* from, std::size_t size, unsigned char* to);

 private:
  std::vector<std::uint32_t> table_;  // by a hash of four bytes: where they were last, counted over all blocks
  std::uint32_t base_ = 1;            // count of the first byte of the block in hand
};

}  // namespace kb::waves
