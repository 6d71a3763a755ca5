// Included before each source of GTKWave's FST library: one thread writes a file, and most of what it writes are
// numbers of a few bytes, for which a call of fwrite costs more than the bytes.
#pragma once

#include <libdeflate.h>
#include <zlib.h>

#include <cstdio>

namespace kb::waves {

inline std::size_t write_unlocked(const void* from, std::size_t size, std::size_t count, std::FILE* file) {
  constexpr std::size_t kNumber = 10;  // bytes of the longest
  if (size * count > kNumber) return ::fwrite_unlocked(from, size, count, file);
  const auto* const bytes = static_cast<const unsigned char*>(from);
  for (std::size_t i = 0; i < size * count; ++i) {
    if (putc_unlocked(bytes[i], file) == EOF) return i / size;
  }
  return count;
}

// What zlib would write, by a library that takes a quarter of its time; at the lowest level, because with the level
// that the source asks for the times alone take longer than all the rest.
inline int pack_fast(Bytef* to, uLongf* room, const Bytef* from, uLong size, int /*level*/) {
  static libdeflate_compressor* const packer = ::libdeflate_alloc_compressor(1);
  const std::size_t packed = packer == nullptr ? 0 : ::libdeflate_zlib_compress(packer, from, size, to, *room);
  if (packed == 0) return ::compress2(to, room, from, size, Z_BEST_SPEED);  // it may need more room
  *room = packed;
  return Z_OK;
}

}  // namespace kb::waves

#define fwrite kb::waves::write_unlocked
#define fputc putc_unlocked
#define compress2 kb::waves::pack_fast
