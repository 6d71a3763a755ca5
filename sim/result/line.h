// A call in a line of a kernel's source.
#pragma once

#include <cstdint>
#include <string>

namespace kb::result {

struct Line {
  std::string file;
  std::uint64_t line = 0;
  std::string call, range, tensor;
};

}  // namespace kb::result
