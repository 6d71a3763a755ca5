// What to write in place of a pattern that matches nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kb {

// `names` are dotted (sip0.cube1.r0c0). For a plain name: a near one, or the pattern of what is below it; else empty.
std::string near_match(std::string_view pattern, const std::vector<std::string>& names);
// What there is at the first level where the pattern matches nothing: "sip0 has cube0 to cube3".
std::string what_there_is(std::string_view pattern, const std::vector<std::string>& names);
// The first of these that says something.
std::string no_match_help(std::string_view pattern, const std::vector<std::string>& names);

}  // namespace kb
