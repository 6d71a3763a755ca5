// Maximum number of reported problems per input, so that a wrong file does not fill the screen.
#pragma once

#include <cstddef>

namespace kb {

inline constexpr std::size_t kMaxProblems = 50;

}  // namespace kb
