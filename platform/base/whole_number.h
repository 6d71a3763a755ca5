// Integers as users write them: decimal, also 1e4 and 2.5e3.
#pragma once

#include <cstdint>
#include <string_view>
#include <system_error>

namespace kb {

// Parses the whole text. invalid_argument: not an integer (also hexadecimal, or with a non-zero fraction);
// result_out_of_range: an integer that does not fit the type. Leading zeros are ignored.
std::errc parse_whole(std::string_view text, std::int64_t& value);
std::errc parse_whole(std::string_view text, std::uint64_t& value);

}  // namespace kb
