#include "sim/html/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "platform/base/printable.h"

namespace kb::html {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct Colour {
  double red, green, blue;
};
constexpr std::array<Colour, 5> kHeat = {
    {{0xee, 0xf1, 0xf4}, {0xfd, 0xe3, 0xb0}, {0xf9, 0xa6, 0x5a}, {0xdd, 0x5a, 0x1d}, {0x7c, 0x1d, 0x0a}}};

std::string significant(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return "0";
  const int before = static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
  std::string text = fmt::format("{:.{}f}", value, std::clamp(digits - before, 0, 9));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text.front();
    if (length == 0) {
      out += kReplacement;
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else if (length == 1 && (static_cast<unsigned char>(c) < ' ' || c == 0x7f) && c != '\n' && c != '\t') {
      out += kReplacement;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

std::string percent_text(double share) {
  constexpr double kPercent = 100;
  return fmt::format("{:.1f} %", kPercent * share);
}

std::string duration_text(double ns) {
  constexpr double kOfUs = 1e4, kOfMs = 1e7, kUs = 1e3, kMs = 1e6;
  constexpr int kDigits = 5;
  if (std::fabs(ns) >= kOfMs) return significant(ns / kMs, kDigits) + " ms";
  if (std::fabs(ns) >= kOfUs) return significant(ns / kUs, kDigits) + " µs";
  return significant(ns, kDigits) + " ns";
}

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024;
  constexpr int kDigits = 4;
  std::size_t unit = 0;
  for (; bytes >= kStep && unit + 1 < kUnits.size(); ++unit) bytes /= kStep;
  return significant(bytes, kDigits) + " " + kUnits[unit];
}

std::string rate_text(double gbs) {
  return digits_text(gbs) + " GB/s";
}

std::string digits_text(double value) {
  constexpr int kDigits = 3;
  return significant(value, kDigits);
}

std::string count_text(double count) {
  std::string text = fmt::format("{:.0f}", count);
  const std::size_t first = text.front() == '-' ? 1 : 0;
  constexpr std::size_t kGroup = 3;
  for (std::size_t at = text.size(); at > first + kGroup;) text.insert(at -= kGroup, "\u202f");
  return text;
}

int heat_step(double share) {
  return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * kHeatSteps));
}

std::string heat_colour(int step) {
  const double at = static_cast<double>(step) / kHeatSteps * (kHeat.size() - 1);
  const auto low = std::min(kHeat.size() - 2, static_cast<std::size_t>(at));
  const double part = at - static_cast<double>(low);
  const auto mix = [&](double from, double to) { return std::lround(from + (to - from) * part); };
  const Colour &a = kHeat[low], &b = kHeat[low + 1];
  return fmt::format("#{:02x}{:02x}{:02x}", mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue));
}

std::string meter_cell(double share) {
  constexpr double kPercent = 100;
  return fmt::format("<td class=\"n\"><span class=\"meter\"><i style=\"width:{:.1f}%\"></i></span> {}</td>",
                     kPercent * std::clamp(share, 0.0, 1.0), percent_text(share));
}

std::string open_section(std::string_view title, std::string_view hint) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}", escaped(title),
                     hint.empty() ? "" : fmt::format("<p class=\"hint\">{}</p>\n", escaped(hint)));
}

}  // namespace kb::html
