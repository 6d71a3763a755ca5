// Files with the values of an axis.
#pragma once

#include <string>
#include <vector>

namespace kb::sweep {

// Without a column every line is a value. With one, the file is a table (CSV) whose first line has the names of its
// columns. Empty lines and those that begin with # are left out. Configuration Error.
std::vector<std::string> values_of_file(const std::string& folder, const std::string& file, const std::string& column);

}  // namespace kb::sweep
