#include "sim/study/requests/timestamp.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace kb::requests {
namespace {

// A number of exactly `digits` digits, taken from the front.
std::optional<std::int64_t> take_number(std::string_view& rest, std::size_t digits) {
  if (rest.size() < digits) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : rest.substr(0, digits)) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) return std::nullopt;
    value = 10 * value + (c - '0');
  }
  rest.remove_prefix(digits);
  return value;
}

bool take_sign(std::string_view& rest, std::string_view signs) {
  if (rest.empty() || signs.find(rest.front()) == std::string_view::npos) return false;
  rest.remove_prefix(1);
  return true;
}

// Days since 1970-01-01 in the Gregorian calendar: years begin in March, so that the leap day is the last one.
std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = year / 400, in_era = year % 400;
  const std::int64_t in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

std::int64_t days_in(std::int64_t year, std::int64_t month) {
  return (month == 12 ? days_of(year + 1, 1, 1) : days_of(year, month + 1, 1)) - days_of(year, month, 1);
}

std::optional<std::int64_t> take_date(std::string_view& rest) {
  const auto year = take_number(rest, 4);
  if (!year || !take_sign(rest, "-")) return std::nullopt;
  const auto month = take_number(rest, 2);
  if (!month || *month < 1 || *month > 12 || !take_sign(rest, "-")) return std::nullopt;
  const auto day = take_number(rest, 2);
  if (!day || *day < 1 || *day > days_in(*year, *month)) return std::nullopt;
  return days_of(*year, *month, *day);
}

// Seconds of "18:00", and with `seconds` of "18:00:59".
std::optional<std::int64_t> take_clock(std::string_view& rest, bool seconds) {
  const auto hour = take_number(rest, 2);
  if (!hour || *hour > 23 || !take_sign(rest, ":")) return std::nullopt;
  const auto minute = take_number(rest, 2);
  if (!minute || *minute > 59) return std::nullopt;
  if (!seconds) return *hour * 3600 + *minute * 60;
  if (!take_sign(rest, ":")) return std::nullopt;
  const auto second = take_number(rest, 2);
  if (!second || *second > 60) return std::nullopt;
  return *hour * 3600 + *minute * 60 + *second;
}

std::optional<std::int64_t> take_fraction_ns(std::string_view& rest) {
  if (!take_sign(rest, ".")) return 0;
  std::int64_t ns = 0, unit = kNsPerS / 10;
  std::size_t digits = 0;
  for (; digits < rest.size() && std::isdigit(static_cast<unsigned char>(rest[digits])) != 0; ++digits, unit /= 10) {
    ns += unit * (rest[digits] - '0');
  }
  if (digits == 0) return std::nullopt;
  rest.remove_prefix(digits);
  return ns;
}

// Seconds that the clock is ahead of UTC.
std::optional<std::int64_t> take_offset(std::string_view& rest) {
  if (rest.empty() || take_sign(rest, "Z")) return 0;
  const bool behind = rest.front() == '-';
  if (!take_sign(rest, "+-")) return std::nullopt;
  const auto seconds = take_clock(rest, false);
  if (!seconds) return std::nullopt;
  return behind ? -*seconds : *seconds;
}

}  // namespace

std::optional<std::int64_t> timestamp_ns(std::string_view text) {
  const auto days = take_date(text);
  if (!days || !take_sign(text, " T")) return std::nullopt;
  const auto seconds = take_clock(text, true);
  if (!seconds) return std::nullopt;
  const auto fraction = take_fraction_ns(text);
  if (!fraction) return std::nullopt;
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return std::nullopt;
  return (*days * 86400 + *seconds - *offset) * kNsPerS + *fraction;
}

}  // namespace kb::requests
