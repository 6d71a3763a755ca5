#include "platform/topology/scalar_text.h"

#include <charconv>
#include <cmath>

namespace kb::topology {

std::string unit_of(const std::string& key) {
  const auto ends = [&](const char* suffix) {
    const std::string s(suffix);
    return key.size() >= s.size() && key.compare(key.size() - s.size(), s.size(), s) == 0;
  };
  if (key.find("_gb_") != std::string::npos) return "GB";
  if (ends("ns_per_mm")) return "ns/mm";
  if (ends("_per_ns")) return "per ns";
  if (ends("_gbs")) return "GB/s";
  if (ends("_ghz")) return "GHz";
  if (ends("_ns")) return "ns";
  if (ends("_mm")) return "mm";
  if (ends("_mb")) return "MB";
  if (ends("_bytes")) return "bytes";
  return "";
}

std::optional<double> to_real(std::string text) {
  if (text == ".inf" || text == "-.inf" || text == "+.inf" || text == ".Inf" || text == ".INF") return INFINITY;
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return NAN;
  if (!text.empty() && text[0] == '+') text.erase(0, 1);
  const std::size_t first = text.find_first_not_of('-');
  if (first == std::string::npos || first > 1 || std::string("0123456789.").find(text[first]) == std::string::npos) {
    return std::nullopt;
  }
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return INFINITY;
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> to_whole(std::string text) {
  int base = 10;
  if (!text.empty() && text[0] == '+') text.erase(0, 1);
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    text.erase(0, 2);
    base = 16;
    if (text[0] == '-') return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<bool> to_flag(const std::string& text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

}  // namespace kb::topology
