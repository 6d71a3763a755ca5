// Suggestions for a pattern that matches no name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kb {

// `names` are dotted (sip0.cube1.r0c0). For a pattern without wildcards, returns a similar name or the pattern of its
// children; otherwise empty.
std::string near_match(std::string_view pattern, const std::vector<std::string>& names);
// Lists the names at the first level at which the pattern matches nothing: "sip0 has cube0 to cube3".
std::string existing_names(std::string_view pattern, const std::vector<std::string>& names);
// The first of these texts that is not empty.
std::string no_match_help(std::string_view pattern, const std::vector<std::string>& names);

}  // namespace kb
