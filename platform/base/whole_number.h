// Whole numbers as users write them: decimal, also 1e4 and 2.5e3.
#pragma once

#include <cstdint>
#include <string_view>
#include <system_error>

namespace kb {

// Reads the whole text. invalid_argument: no whole number (also hexadecimal, or with a fraction that is not zero);
// result_out_of_range: a whole number, but not of this type. Leading zeros mean nothing.
std::errc parse_whole(std::string_view text, std::int64_t& value);
std::errc parse_whole(std::string_view text, std::uint64_t& value);

}  // namespace kb
