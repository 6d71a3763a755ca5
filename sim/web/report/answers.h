// The answers that a report has inside, each by its question.
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

  // An answer that is larger is left out, and the page says so; a machine of thousands of PEs has such.
  static constexpr std::size_t kMaxBytes = std::size_t{4} << 20;

  explicit Answers(const Api& api) : api_(api) {}

  // Asks and keeps the answer. Returns it, or nothing when there is none: the page then says so where it would stand.
  std::optional<std::string> ask(const std::string& path, const Parameters& parameters = {});
  // JSON in place of an answer, under a key_of().
  void put(const std::string& key, const std::string& json) { keep(key, json); }

  // Tile and states of the timeline in a window of time, in about `pixels` columns.
  struct TimelineWindow {
    std::int64_t begin_fs = 0, end_fs = 0, pixels = 0;
    std::vector<std::uint32_t> rows, states;
  };
  void ask_timeline(const TimelineWindow& window);

  // Size of all answers as they lie in the report.
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

// "/api/cells t0=1 t1=2": the path and the parameters that are not empty, by name, as web/src/answers.ts has it. How
// many pixels are asked for, and what only reports ask for, is no part of it.
std::string key_of(const std::string& path, const Answers::Parameters& parameters);

std::string base64(std::string_view bytes);

}  // namespace kb::web
