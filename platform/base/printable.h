// Sanitises user text for a terminal: file names, keys and values may contain control bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kb {

// Length of the well-formed UTF-8 sequence at the start of `text`, which is not empty; 0 when there is none.
std::size_t utf8_length(std::string_view text);

// Escapes control characters and invalid UTF-8 bytes in the form \x1b, and invisible, non-character and text-direction
// code points in the form \u202e. Line ends stay, tabs become \t.
std::string printable(std::string_view text);

// Like printable(), but on one line, with line ends as \n. Very long words and very long texts are shortened in the
// middle, so that the text before and after them stays readable.
std::string printable_line(std::string_view text);

// The last `bytes` of a text, beginning at a character boundary; "..." replaces the omitted part.
std::string last_part(const std::string& text, std::size_t bytes);

}  // namespace kb
