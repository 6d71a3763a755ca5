// Lists in one text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kb {

// What stands between the separators: one part more than there are of them.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace kb
