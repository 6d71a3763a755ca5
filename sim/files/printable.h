// Text of users and of their files, made fit to be shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kb::files {

// The text as UTF-8 in which control characters, marks of the writing direction and bytes that are no UTF-8 stand as
// \x1b or \u202e. Line breaks stay.
std::string printable(std::string_view text);

// The last `bytes` of a text, from the begin of a character on; "..." replaces what is left out.
std::string last_part(const std::string& text, std::size_t bytes);

}  // namespace kb::files
