// The answers that a report contains, by request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/web/api.h"

namespace kb::web {

class Answers {
 public:
  using Parameters = std::multimap<std::string, std::string>;

  // Larger answers, which occur with thousands of PEs, are omitted; the page then shows a note.
  static constexpr std::size_t kMaxBytes = std::size_t{4} << 20;

  explicit Answers(const Api& api) : api_(api) {}

  // Calls the API, stores the answer and returns it. No value when there is none; the page then shows a note.
  std::optional<std::string> ask(const std::string& path, const Parameters& parameters = {});
  // Stores JSON as the answer with this key_of().
  void put(const std::string& key, const std::string& json) { keep(key, json); }

  // A window of the timeline, with about `pixels` columns.
  struct TimelineWindow {
    std::int64_t begin_fs = 0, end_fs = 0, pixels = 0;
    std::vector<std::uint32_t> rows, states;
  };
  void ask_timeline(const TimelineWindow& window);

  // Size of all answers in the report.
  std::size_t packed_bytes() const { return packed_bytes_; }
  // For web/src/answers.ts: {"answers": by key, each packed by gzip, in base64, "windows"}.
  std::string json() const;

 private:
  void keep(const std::string& key, const std::string& answer);

  const Api& api_;
  std::map<std::string, std::string> packed_;  // by key_of()
  std::size_t packed_bytes_ = 0;
  std::vector<TimelineWindow> windows_;
};

// "/api/cells t0=1 t1=2": the path and the non-empty parameters, by name, as in web/src/answers.ts. It excludes the
// number of pixels and parameters that only reports use.
std::string key_of(const std::string& path, const Answers::Parameters& parameters);

std::string base64(std::string_view bytes);

}  // namespace kb::web
