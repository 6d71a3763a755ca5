// What pictures and the page of a report write as text and colour.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "platform/base/printable.h"
#include "platform/views/svg.h"

namespace kb::views {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct Colour {
  double red, green, blue;
};
constexpr std::array<Colour, 5> kHeat = {
    {{0xee, 0xf1, 0xf4}, {0xfd, 0xe3, 0xb0}, {0xf9, 0xa6, 0x5a}, {0xdd, 0x5a, 0x1d}, {0x7c, 0x1d, 0x0a}}};

// The markup for one character; empty when it stands for itself.
std::string_view markup_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:  // XML 1.0 has no other control characters
      return (static_cast<unsigned char>(c) < ' ' || c == 0x7f) && c != '\n' && c != '\t' ? kReplacement : "";
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view markup = length == 0 ? kReplacement : length == 1 ? markup_of(text.front()) : "";
    out += markup.empty() ? text.substr(0, length) : markup;
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

std::string heat_colour(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (kHeat.size() - 1);
  const auto low = std::min(kHeat.size() - 2, static_cast<std::size_t>(at));
  const double part = at - static_cast<double>(low);
  const auto mix = [&](double from, double to) { return std::lround(from + (to - from) * part); };
  const Colour &a = kHeat[low], &b = kHeat[low + 1];
  return fmt::format("#{:02x}{:02x}{:02x}", mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue));
}

}  // namespace kb::views
