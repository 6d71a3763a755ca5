// Ranges of kernels as slices of a PE's tracks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "sim/analysis/recorded/run_folder.h"

namespace kb::convert {

// A range of a kernel lasts on a PE from the begin of its first operation to the end of its last one. A range that is
// entered several times in a launch is one slice.
class RangeSlices {
 public:
  struct Slice {
    std::size_t row = 0;
    std::int64_t start_fs = 0, end_fs = 0;
    std::size_t depth = 0;
    const std::string* name = nullptr;
  };

  explicit RangeSlices(const analysis::RunFolder& run);

  // `row` stands for the PE that executed the operation.
  void add(std::size_t row, std::int64_t sip, const data::OpRow& op);
  // Sorted by row and begin, outer ranges first. The innermost ranges are left out when there are more than `most`.
  std::vector<Slice> take(std::size_t most) const;

 private:
  struct Range {
    std::string name;
    std::size_t depth = 0;
  };
  struct Span {
    std::int64_t start_fs = 0, end_fs = 0;
  };

  const std::vector<std::size_t>& ranges_of(const std::string& path);
  std::size_t launch_at(std::int64_t sip, std::int64_t time_fs) const;

  std::vector<Range> ranges_;
  std::map<std::string, std::size_t> range_ids_;                             // by path
  std::map<std::string, std::vector<std::size_t>> outer_;                    // by path: the ranges around it and itself
  std::map<std::int64_t, const std::vector<std::size_t>*> of_;               // by place; only places in a range
  std::map<std::int64_t, std::vector<std::int64_t>> starts_;                 // of launches by SIP
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, Span> spans_;  // row, launch, range
};

}  // namespace kb::convert
