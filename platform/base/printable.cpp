#include "platform/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace kb {
namespace {

constexpr std::size_t kMaxShown = 2000;    // characters per line
constexpr std::size_t kLongestWord = 256;  // longer words are shortened: nobody reads them to the end
constexpr std::size_t kWordEndShown = 60;  // characters at both ends of a shortened word

std::uint32_t code_point(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(sequence[i])); };
  if (sequence.size() == 1) return byte(0);
  std::uint32_t code = byte(0) & (0xffU >> (sequence.size() + 1));
  for (std::size_t i = 1; i < sequence.size(); ++i) code = (code << 6) | (byte(i) & 0x3f);
  return code;
}

// Control characters and invisible characters.
bool is_hidden(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  return code == 0x61c || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code >= 0xe0000 && code <= 0xe007f) ||
         (code & 0xfffeU) == 0xfffeU;  // noncharacters
}

void append_hidden(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", code);
  } else {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
  }
}

std::string escaped(std::string_view text, bool one_line) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    const std::uint32_t code = code_point(text.substr(0, length));
    if (code == '\n') {
      out += one_line ? "\\n" : "\n";
    } else if (code == '\t') {
      out += "\\t";
    } else if (is_hidden(code)) {
      append_hidden(out, code);
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out;
}

// `at`, or the nearest position before it that is a character boundary.
std::size_t boundary(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongestSequence = 4;
  for (std::size_t back = 1; back < kLongestSequence && back <= at; ++back) {
    if (utf8_length(text.substr(at - back)) > back) return at - back;
  }
  return at;
}

// Both ends of a text, and the number of omitted characters.
std::string shortened(std::string_view text, std::size_t end_shown) {
  const std::size_t first = boundary(text, end_shown);
  const std::size_t last = boundary(text, text.size() - end_shown);
  return fmt::format("{} ... ({} characters left out) ... {}", text.substr(0, first), last - first, text.substr(last));
}

// File names may be very long and occur more than once; shortening them keeps the rest of the message.
std::string with_short_words(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, length);
    out += length > kLongestWord ? shortened(word, kWordEndShown) : std::string(word);
    text.remove_prefix(length);
    const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
    out += text.substr(0, spaces);
    text.remove_prefix(spaces);
  }
  return out;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  if (first >= 0xc2 && first <= 0xdf) length = 2;
  if (first >= 0xe0 && first <= 0xef) length = 3;
  if (first >= 0xf0 && first <= 0xf4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (first == 0xe0 && byte(1) < 0xa0) return 0;  // overlong
  if (first == 0xed && byte(1) > 0x9f) return 0;  // surrogate
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) > 0x8f) return 0;
  return length;
}

std::string printable(std::string_view text) {
  return escaped(text, false);
}

std::string printable_line(std::string_view text) {
  const std::string line = with_short_words(text);
  return escaped(line.size() <= kMaxShown ? line : shortened(line, kMaxShown / 2), true);
}

std::string last_part(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t begin = text.size() - bytes;
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xc0u) == 0x80u) ++begin;
  return "..." + text.substr(begin);
}

}  // namespace kb
