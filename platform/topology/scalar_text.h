// Conversion of plain YAML scalars to numbers, and the unit in a key's name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kb::topology {

// Unit of a key by its suffix: "GB/s" for "router_link_bw_gbs"; "" without a unit.
std::string unit_of(const std::string& key);

// A number in YAML's decimal notation, including .inf and .nan; no value for other text, such as "12abc".
std::optional<double> to_real(std::string text);
// Decimal or 0x hexadecimal digits with an optional sign.
std::optional<std::int64_t> to_whole(std::string text);
std::optional<bool> to_flag(const std::string& text);

}  // namespace kb::topology
