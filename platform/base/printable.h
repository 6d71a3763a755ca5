// Text of a user on a terminal: names of files, keys and values may hold bytes that steer it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kb {

// Length of the well-formed UTF-8 sequence at the start of `text`, 0 when there is none. `text` is not empty.
std::size_t utf8_length(std::string_view text);

// `text` with everything that does not stand for itself written out: control characters and bytes that are not UTF-8
// as \x1b; invisible characters, noncharacters and those that change the direction of writing as \u202e. Line ends
// stay, tabs become \t.
std::string printable(std::string_view text);

// printable() on one line, with line ends as \n. Of a word too long to be a name that people read, and of a very
// long text, the beginning and the end: what is said before and behind it stays.
std::string printable_line(std::string_view text);

// The last `bytes` of a text, from the begin of a character on; "..." replaces what is left out.
std::string last_part(const std::string& text, std::size_t bytes);

}  // namespace kb
