// How many problems of one input are told: a wrong file should not fill the screen.
#pragma once

#include <cstddef>

namespace kb {

inline constexpr std::size_t kMaxProblems = 50;

}  // namespace kb
