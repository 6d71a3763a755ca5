// Named parts of a host program.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kb::sw {

// The ranges that the main program and the ranks are in. A rank is also in the ranges of the main program.
class HostRanges {
 public:
  // From its construction to its destruction; make it a local variable.
  class [[nodiscard]] Range {
   public:
    Range(HostRanges& ranges, int caller, std::string_view name);
    ~Range();
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;

   private:
    HostRanges& ranges_;
    int caller_;
    std::size_t depth_;
  };

  // Names of the caller's ranges, outermost first. Program Error BENCH_ERROR when a range was closed before one that
  // was opened inside it.
  std::vector<std::string> names(int caller);
  // BENCH_ERROR when a range is open.
  void require_closed() const;

 private:
  static constexpr int kMainProgram = -1;

  std::map<int, std::vector<std::string>> open_;  // by caller
  std::string misplaced_;                         // a range that was still open when the one around it was closed
};

}  // namespace kb::sw
