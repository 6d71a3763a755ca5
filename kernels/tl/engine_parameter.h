#pragma once

#include <cstdint>
#include <string_view>

namespace kb::tl {

// A named parameter of a plug-in engine's command: {"block", 8}.
struct EngineParameter {
  std::string_view name;
  std::int64_t value = 0;
};

}  // namespace kb::tl
