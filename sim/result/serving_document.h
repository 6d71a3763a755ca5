// Files of `kernbench model requests --out`, which `kernbench web` reads.
#pragma once

namespace kb::result {

inline constexpr const char* kServingSummary = "summary.json";
inline constexpr const char* kRequestTable = "requests.csv";
inline constexpr const char* kSecondTable = "timeline.csv";
inline constexpr const char* kRateTable = "rates.csv";

}  // namespace kb::result
