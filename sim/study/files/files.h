// Reading and writing of whole files.
#pragma once

#include <string>

namespace kb::files {

std::string read_file(const std::string& file);  // empty when the file cannot be read
// Writes the complete file or nothing; the configuration Error names `purpose`.
void write_file(const std::string& file, const std::string& text, const std::string& purpose);

}  // namespace kb::files
