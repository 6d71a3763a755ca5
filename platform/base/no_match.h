// What to write in place of a pattern that matches nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kb {

// `names` are dotted (sip0.cube1.r0c0). A plain name gets a near one, or the pattern of what is below it. Of a pattern
// it is said what there is at the first level where it matches nothing: "sip0 has cube0 to cube3".
std::string no_match_help(std::string_view pattern, const std::vector<std::string>& names);

}  // namespace kb
