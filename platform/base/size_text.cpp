#include "platform/base/size_text.h"

#include <fmt/format.h>

#include <cmath>

namespace kb {

std::string size_text(std::uint64_t bytes) {
  auto value = static_cast<double>(bytes);
  const char* unit = "B";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (value < 1024) break;
    value /= 1024;
    unit = next;
  }
  return fmt::format("{:.{}f} {}", value, value == std::floor(value) ? 0 : 2, unit);
}

}  // namespace kb
