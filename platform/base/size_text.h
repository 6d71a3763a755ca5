// Sizes of memory for people, rounded; format_size (units.h) is exact.
#pragma once

#include <cstdint>
#include <string>

namespace kb {

// With two digits after the point: "16.43 GiB", "48 KiB".
std::string size_text(std::uint64_t bytes);

}  // namespace kb
