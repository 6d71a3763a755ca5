// Appends to a text buffer through a raw cursor, with one capacity check per piece instead of one per character.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "platform/base/units.h"

namespace kb::data {

// The text is in the buffer when the writer is destroyed; no other code may use the buffer before.
class TextWriter {
 public:
  explicit TextWriter(fmt::memory_buffer& buffer) : buffer_(buffer) { take(buffer.size()); }
  ~TextWriter() { buffer_.resize(size()); }
  TextWriter(const TextWriter&) = delete;
  TextWriter& operator=(const TextWriter&) = delete;

  std::size_t size() const { return static_cast<std::size_t>(at_ - buffer_.data()); }
  char& operator[](std::size_t i) { return buffer_[i]; }

  void put(char c) {
    need(1);
    *at_++ = c;
  }
  void text(std::string_view s) {
    need(s.size());
    std::memcpy(at_, s.data(), s.size());
    at_ += s.size();
  }

  // Appends the first `size` of N readable bytes by a copy of fixed size.
  template <std::size_t N>
  void padded(const std::array<char, N>& s, std::size_t size) {
    need(N);
    std::memcpy(at_, s.data(), N);
    at_ += size;
  }

  template <typename Integer>
  void decimal(Integer value) {
    std::uint64_t magnitude = static_cast<std::uint64_t>(value);
    if constexpr (std::is_signed_v<Integer>) {
      if (value < 0) {
        put('-');
        magnitude = 0 - magnitude;
      }
    }
    const int length = decimal_digits(magnitude);
    need(static_cast<std::size_t>(length));
    char* first = at_ += length;
    for (; magnitude >= 100; magnitude /= 100) first = pair(first, magnitude % 100);
    if (magnitude >= 10) {
      pair(first, magnitude);
    } else {
      *--first = static_cast<char>('0' + magnitude);
    }
  }

  void hex(std::uint64_t value) {  // 0x1f0
    const int digits = value == 0 ? 1 : (67 - __builtin_clzll(value)) / 4;
    need(static_cast<std::size_t>(digits) + 2);
    *at_++ = '0';
    *at_++ = 'x';
    for (int i = digits; i-- > 0;) *at_++ = "0123456789abcdef"[value >> (4 * i) & 15];
  }

  // Writes the result of format_ns() without creating a string.
  void nanoseconds(TimeFs time) {
    auto magnitude = static_cast<std::uint64_t>(time.fs());
    if (time < 0_fs) {
      put('-');
      magnitude = 0 - magnitude;
    }
    decimal(magnitude / kFsPerNs);
    const std::uint64_t fraction = magnitude % kFsPerNs;
    if (fraction == 0) return;
    need(7);
    char* const digits = at_ + 1;
    *at_ = '.';
    pair(digits + 2, fraction / 10000);
    pair(digits + 4, fraction / 100 % 100);
    pair(digits + 6, fraction % 100);
    std::size_t length = 6;
    while (digits[length - 1] == '0') --length;
    at_ = digits + length;
  }

 private:
  static int decimal_digits(std::uint64_t value) {
    static constexpr auto kPowers = [] {
      std::array<std::uint64_t, 20> powers{1};
      for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
      return powers;
    }();
    const int at_most = (64 - __builtin_clzll(value | 1)) * 1233 >> 12;  // 1233 / 4096 = log10(2)
    return at_most + (value >= kPowers[static_cast<std::size_t>(at_most)] ? 1 : 0) + (value == 0 ? 1 : 0);
  }

  // Writes two digits before `end` and returns their position.
  static char* pair(char* end, std::uint64_t value) {
    static constexpr char kPairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354"
        "555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    std::memcpy(end - 2, kPairs + 2 * value, 2);
    return end - 2;
  }

  void need(std::size_t bytes) {
    if (__builtin_expect(bytes > static_cast<std::size_t>(end_ - at_), 0)) grow(bytes);
  }
  void grow(std::size_t bytes) {
    const std::size_t kept = size();
    buffer_.resize(kept);
    buffer_.reserve(std::max(kept + bytes, 2 * buffer_.capacity()));
    take(kept);
  }
  void take(std::size_t at) {
    at_ = buffer_.data() + at;
    end_ = buffer_.data() + buffer_.capacity();
  }

  fmt::memory_buffer& buffer_;
  char* at_ = nullptr;
  char* end_ = nullptr;
};

}  // namespace kb::data
