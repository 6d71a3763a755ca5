// Arithmetic on sizes from the user: an overflow of 64 bits is a user error, never a wrong number.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace kb {

// Program Error SHAPE_ERROR, with `what` and the numbers, when the result does not fit 64 bits.
std::int64_t checked_product(std::string_view what, std::initializer_list<std::int64_t> factors);
std::int64_t checked_sum(std::string_view what, std::initializer_list<std::int64_t> terms);

// a / b rounded up, for a >= 0 and b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace kb
