#include "platform/base/checked.h"

#include <fmt/format.h>

#include <string>

#include "platform/base/error.h"

namespace kb {
namespace {

Error too_large(std::string_view what, std::initializer_list<std::int64_t> numbers, std::string_view sign) {
  std::string text;
  for (const std::int64_t number : numbers)
    text += std::string(text.empty() ? std::string_view() : sign) + std::to_string(number);
  return Error::program(
      "SHAPE_ERROR",
      fmt::format("{} = {} is beyond {}, the largest number there is; choose smaller sizes", what, text, INT64_MAX));
}

}  // namespace

std::int64_t checked_product(std::string_view what, std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) throw too_large(what, factors, " x ");
  }
  return product;
}

std::int64_t checked_sum(std::string_view what, std::initializer_list<std::int64_t> terms) {
  std::int64_t sum = 0;
  for (const std::int64_t term : terms) {
    if (__builtin_add_overflow(sum, term, &sum)) throw too_large(what, terms, " + ");
  }
  return sum;
}

}  // namespace kb
