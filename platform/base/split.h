// Splits a text at separators.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kb {

// Returns the parts between the separators: one part more than there are separators.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace kb
