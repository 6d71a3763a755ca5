#pragma once

#include <cstdint>
#include <string_view>

namespace kb::tl {

// A parameter of a command of an engine by its name: {"block", 8}.
struct EngineParameter {
  std::string_view name;
  std::int64_t value = 0;
};

}  // namespace kb::tl
