// The format: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md. A sequence has a token with two lengths,
// literal bytes, and a match (its distance in two bytes). A length of 15 continues in bytes of up to 255.
#include "platform/waves/lz4_block.h"

#include <algorithm>
#include <cstring>

namespace kb::waves {
namespace {

constexpr int kTableBits = 12;
constexpr std::size_t kLeastMatch = 4;
constexpr std::size_t kLastLiterals = 5;  // minimum number of literals at the end of a block
constexpr std::size_t kLastMatch = 12;    // minimum distance of the last match from the end
constexpr std::size_t kFarthest = 65535;
constexpr std::size_t kInToken = 15;
constexpr std::uint32_t kMostPositions = 0x7fffffff;

std::uint32_t four(const unsigned char* at) {
  std::uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::size_t length_bytes(std::size_t length) {
  return length < kInToken ? 0 : 1 + (length - kInToken) / 255;
}

unsigned char* put_length(unsigned char* to, std::size_t length) {
  if (length < kInToken) return to;
  for (length -= kInToken; length >= 255; length -= 255) *to++ = 255;
  *to++ = static_cast<unsigned char>(length);
  return to;
}

}  // namespace

Lz4Packer::Lz4Packer() : table_(std::size_t{1} << kTableBits, 0) {}

std::size_t Lz4Packer::pack(const unsigned char* from, std::size_t size, unsigned char* to) {
  if (size <= kLastMatch || size > kMostPositions / 2) return 0;
  if (base_ > kMostPositions - size) {
    std::fill(table_.begin(), table_.end(), 0);
    base_ = 1;
  }
  const unsigned char* const begin = from;
  const unsigned char* const last_match = from + size - kLastMatch;
  const unsigned char* const match_end = from + size - kLastLiterals;
  unsigned char* out = to;
  unsigned char* const out_end = to + size - 1;
  const unsigned char* literals = from;
  const auto emit = [&](const unsigned char* at, std::size_t match, std::size_t back) {
    const auto count = static_cast<std::size_t>(at - literals);
    const std::size_t more = match == 0 ? 0 : match - kLeastMatch;
    const std::size_t bytes = 1 + length_bytes(count) + count + (match == 0 ? 0 : 2 + length_bytes(more));
    if (static_cast<std::size_t>(out_end - out) < bytes) return false;
    *out++ = static_cast<unsigned char>(std::min(count, kInToken) << 4 | std::min(more, kInToken));
    out = put_length(out, count);
    std::memcpy(out, literals, count);
    out += count;
    if (match == 0) return true;
    *out++ = static_cast<unsigned char>(back);
    *out++ = static_cast<unsigned char>(back >> 8);
    out = put_length(out, more);
    return true;
  };
  for (const unsigned char* at = begin; at <= last_match;) {
    std::uint32_t& entry = table_[(four(at) * 2654435761u) >> (32 - kTableBits)];
    const std::uint32_t here = base_ + static_cast<std::uint32_t>(at - begin);
    const std::uint32_t before = entry;
    entry = here;
    if (before < base_ || here - before > kFarthest || four(begin + (before - base_)) != four(at)) {
      ++at;
      continue;
    }
    const unsigned char* match = begin + (before - base_) + kLeastMatch;
    const unsigned char* end = at + kLeastMatch;
    while (end < match_end && *end == *match) ++end, ++match;
    if (!emit(at, static_cast<std::size_t>(end - at), here - before)) return 0;
    at = literals = end;
  }
  base_ += static_cast<std::uint32_t>(size);
  return emit(begin + size, 0, 0) ? static_cast<std::size_t>(out - to) : 0;
}

}  // namespace kb::waves
