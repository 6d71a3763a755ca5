#include "platform/base/whole_number.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <type_traits>

namespace kb {
namespace {

constexpr std::size_t kMaxNumberDigits = 20;  // of a 64-bit number

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

// Parses an exponent after the digits: "e4", "E+04". Exponents that are too large become 1000.
std::optional<int> take_exponent(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  text.remove_prefix(1);
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const std::string_view digits = take_digits(text);
  if (digits.empty() || !text.empty()) return std::nullopt;
  int value = 1000;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{}) value = 1000;
  value = std::min(value, 1000);
  return negative ? -value : value;
}

// The digits of an integer without leading zeros ("" is 0); no value when the text is not an integer.
std::optional<std::string> whole_digits(std::string_view text) {
  const std::string_view before = take_digits(text);
  std::string_view after;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    after = take_digits(text);
  }
  const std::optional<int> exponent = take_exponent(text);
  if ((before.empty() && after.empty()) || !exponent) return std::nullopt;
  std::string digits = std::string(before) + std::string(after);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  long shift = *exponent - static_cast<long>(after.size());
  while (shift < 0 && !digits.empty() && digits.back() == '0') {
    digits.pop_back();
    ++shift;
  }
  if (digits.empty()) return digits;
  if (shift < 0) return std::nullopt;
  digits.append(static_cast<std::size_t>(shift), '0');
  return digits;
}

template <typename Number>
std::errc parse(std::string_view text, Number& value) {
  const bool negative = std::is_signed_v<Number> && !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  const std::optional<std::string> digits = whole_digits(text);
  if (!digits) return std::errc::invalid_argument;
  if (digits->size() > kMaxNumberDigits) return std::errc::result_out_of_range;
  const std::string whole = (negative ? "-" : "") + (digits->empty() ? "0" : *digits);
  return std::from_chars(whole.data(), whole.data() + whole.size(), value).ec;
}

}  // namespace

std::errc parse_whole(std::string_view text, std::int64_t& value) {
  return parse(text, value);
}

std::errc parse_whole(std::string_view text, std::uint64_t& value) {
  return parse(text, value);
}

}  // namespace kb
