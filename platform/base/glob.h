// Wildcard patterns for names on the command line and in files.
#pragma once

#include <string_view>

namespace kb {

// True when the whole text matches; `*` matches any characters, `?` exactly one.
bool glob_match(std::string_view pattern, std::string_view text);

// True when there is a text that matches both patterns.
bool globs_meet(std::string_view a, std::string_view b);

}  // namespace kb
