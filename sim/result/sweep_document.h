// Files of a sweep, which `kernbench sweep` writes and `kernbench web` reads.
#pragma once

namespace kb::result {

inline constexpr const char* kSweepFile = "sweep.json";  // its description
inline constexpr const char* kSweepSchema = "kernbench sweep 1";
inline constexpr const char* kSweepTable = "points.csv";
inline constexpr const char* kSweepDatabase = "points.sqlite";

}  // namespace kb::result
