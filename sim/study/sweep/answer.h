// What came out of a point.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kb::sweep {

struct Answer {
  bool ok = false;
  std::string code;                           // of a failure, a stable word: "TIME_LIMIT", "VERIFICATION_FAILED"
  std::string cause;                          // in words
  std::vector<nlohmann::ordered_json> cells;  // of the columns that are selectors, in their order
  std::uint64_t attempt = 1;                  // of a failure: more than 1 where the point was run again
  std::uint64_t unknown_accesses = 0;         // as in the result: its times rest on assumed rows
};

inline constexpr const char* kNoSuchResult = "NO_SUCH_RESULT";  // a column is not in the result

// One line of JSON, and back; nothing when the text is none.
std::string to_text(const Answer& answer);
std::optional<Answer> answer_of(const std::string& text);

}  // namespace kb::sweep
