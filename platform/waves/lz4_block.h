// LZ4 block compression for many small blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kb::waves {

// Compresses independent blocks. A chain of changes has tens of bytes, for which liblz4 clears a table of 16 KiB; here,
// entries of earlier blocks are recognised by their positions instead.
class Lz4Packer {
 public:
  Lz4Packer();
  // Writes fewer than `size` bytes to `to` and returns their number; 0 when it cannot compress.
  std::size_t pack(const unsigned char* from, std::size_t size, unsigned char* to);

 private:
  std::vector<std::uint32_t> table_;  // by hash of four bytes: their latest position, counted over all blocks
  std::uint32_t base_ = 1;            // position of the first byte of the current block
};

}  // namespace kb::waves
