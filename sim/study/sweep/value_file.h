// Reads files with axis values.
#pragma once

#include <string>
#include <vector>

namespace kb::sweep {

// Without a column, every line is a value. With one, the file is a CSV table with column names in its first line. Empty
// lines and lines that begin with # are skipped. Configuration Error.
std::vector<std::string> values_of_file(const std::string& folder, const std::string& file, const std::string& column);

}  // namespace kb::sweep
