// The result of a point.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kb::sweep {

struct Answer {
  bool ok = false;
  std::string code;                           // stable identifier of a failure: "TIME_LIMIT", "VERIFICATION_FAILED"
  std::string cause;                          // description of a failure
  std::vector<nlohmann::ordered_json> cells;  // values of the selector columns, in order
  std::uint64_t attempt = 1;                  // attempt in which the point failed; more than 1 after a retry
  std::uint64_t unknown_accesses = 0;         // as in the result: its times are based on assumed rows
};

inline constexpr const char* kNoSuchResult = "NO_SUCH_RESULT";  // a column is missing in the result

// One line of JSON, and the inverse; no value when the text is not valid.
std::string to_text(const Answer& answer);
std::optional<Answer> answer_of(const std::string& text);

}  // namespace kb::sweep
