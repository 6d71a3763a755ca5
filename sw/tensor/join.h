#pragma once

#include <string>
#include <type_traits>

namespace kb::sw {

// "a, b, c" from strings or integers. (fmt::join makes GCC 12 warn inside fmt's headers.)
template <typename List>
std::string join(const List& list) {
  std::string out;
  for (const auto& item : list) {
    if (!out.empty()) out += ", ";
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(item)>>) {
      out += std::to_string(item);
    } else {
      out += item;
    }
  }
  return out;
}

}  // namespace kb::sw
