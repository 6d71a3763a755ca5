// Sizes of memory for people.
#pragma once

#include <cstdint>
#include <string>

namespace kb::model {

// With two digits after the point: "16.43 GiB", "48 KiB".
std::string size_text(std::uint64_t bytes);

}  // namespace kb::model
