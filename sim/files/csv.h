// Tables of comma-separated values.
#pragma once

#include <string>
#include <vector>

namespace kb::files {

// One line with its end. Cells with a comma, a quotation mark or a line break are quoted (RFC 4180), because their
// words may come from any data file.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace kb::files
