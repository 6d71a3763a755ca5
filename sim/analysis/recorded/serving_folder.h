// The folder of `kernbench model requests --out`, for the page. docs/guides/serving.md describes its contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace kb::analysis {

class ServingFolder {
 public:
  static constexpr std::size_t kMostRows = 200'000;  // of a table

  // True when the folder has the summary and a table.
  static bool is_one(const std::string& folder);

  explicit ServingFolder(std::string folder) : folder_(std::move(folder)) {}

  // The current contents as JSON: {"summary", "requests", "seconds", "problems"}. A table is {"columns", "rows",
  // "total"} with numbers, or null when it cannot be read or the summary is that of several rates; `problems` says in a
  // sentence why it cannot. Rows are cut at kMostRows of `total`. Configuration Error when the summary is damaged or
  // leads out of the folder.
  std::string json() const;
  // {"gaps_ns": [...]}: times between the output tokens of a request. Configuration Error when it is not in the table.
  std::string gaps(std::int64_t request) const;

 private:
  std::string folder_;
};

}  // namespace kb::analysis
