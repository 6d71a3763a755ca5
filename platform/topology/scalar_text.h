// Plain YAML scalars as numbers, and the unit that a key's name promises.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kb::topology {

// The unit of a key by its ending: "GB/s" for "router_link_bw_gbs"; "" when it has none.
std::string unit_of(const std::string& key);

// A number in YAML's decimal notation, .inf and .nan included; nothing for text, also for "12abc".
std::optional<double> to_real(std::string text);
// Decimal or 0x hexadecimal digits with an optional sign.
std::optional<std::int64_t> to_whole(std::string text);
std::optional<bool> to_flag(const std::string& text);

}  // namespace kb::topology
