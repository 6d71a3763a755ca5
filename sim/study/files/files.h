// Whole files.
#pragma once

#include <string>

namespace kb::files {

std::string read_file(const std::string& file);  // empty when it cannot be read
// Complete or not at all; configuration Error that names `purpose`.
void write_file(const std::string& file, const std::string& text, const std::string& purpose);

}  // namespace kb::files
