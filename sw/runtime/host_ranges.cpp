#include "sw/runtime/host_ranges.h"

#include <fmt/format.h>

#include "platform/base/error.h"

namespace kb::sw {

HostRanges::Range::Range(HostRanges& ranges, int caller, std::string_view name) : ranges_(ranges), caller_(caller) {
  if (name.empty()) throw Error::program("BENCH_ERROR", "a range needs a name: rt.range(\"layer 3\")");
  std::vector<std::string>& open = ranges_.open_[caller_];
  open.emplace_back(name);
  depth_ = open.size();
}

// A destructor must not throw: the next launch does.
HostRanges::Range::~Range() {
  std::vector<std::string>& open = ranges_.open_[caller_];
  if (open.size() > depth_ && ranges_.misplaced_.empty()) ranges_.misplaced_ = open.back();
  if (open.size() >= depth_) open.resize(depth_ - 1);
}

std::vector<std::string> HostRanges::names(int caller) {
  if (!misplaced_.empty()) {
    throw Error::program("BENCH_ERROR", fmt::format("a range was closed before rt.range(\"{}\"), which was opened "
                                                    "inside it; make ranges local variables",
                                                    misplaced_));
  }
  std::vector<std::string> names = open_[kMainProgram];
  if (caller == kMainProgram) return names;
  const std::vector<std::string>& own = open_[caller];
  names.insert(names.end(), own.begin(), own.end());
  return names;
}

void HostRanges::require_closed() const {
  for (const auto& [caller, names] : open_) {
    if (names.empty()) continue;
    throw Error::program("BENCH_ERROR",
                         fmt::format("rt.range(\"{}\") is still open at the end of the workload; make it "
                                     "a local variable",
                                     names.back()));
  }
}

}  // namespace kb::sw
