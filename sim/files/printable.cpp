#include "sim/files/printable.h"

#include <fmt/format.h>

#include <cstdint>

namespace kb::files {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0 = no UTF-8
};

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
}

// The shortest form alone is UTF-8, and surrogates are none.
Character decode(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return {};
  std::uint32_t code = first & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const unsigned next = byte_at(text, i);
    if ((next & 0xc0u) != 0x80u) return {};
    code = code << 6u | (next & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {code, bytes};
}

bool hidden(std::uint32_t code) {
  if (code == '\n') return false;
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
         (code & 0xfffeu) == 0xfffeu;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    const Character one = decode(text.substr(i));
    if (one.bytes == 0 || (hidden(one.code) && one.code < 0x80)) {
      shown += fmt::format("\\x{:02x}", byte_at(text, i));
    } else if (hidden(one.code)) {
      shown += fmt::format("\\u{:04x}", one.code);
    } else {
      shown += text.substr(i, one.bytes);
    }
    i += one.bytes == 0 ? 1 : one.bytes;
  }
  return shown;
}

std::string last_part(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t begin = text.size() - bytes;
  while (begin < text.size() && (byte_at(text, begin) & 0xc0u) == 0x80u) ++begin;
  return "..." + text.substr(begin);
}

}  // namespace kb::files
