// Reads and writes whole files.
#pragma once

#include <cstddef>
#include <string>

namespace kb::robustness {

std::string read_text(const std::string& path,
                      std::size_t largest = std::size_t{256} << 20);  // std::runtime_error when there is none
void write_text(const std::string& path, const std::string& text);    // also creates its folders

}  // namespace kb::robustness
