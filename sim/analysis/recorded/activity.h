// Recorded activity of the resources of a machine in a time window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/data/activity_tables.h"
#include "sim/analysis/recorded/nodes.h"

namespace kb::analysis {

struct Use {
  double busy_fs = 0, wait_fs = 0, bytes = 0;
  std::int64_t queue = 0;  // maximum length

  bool is_empty() const { return busy_fs == 0 && wait_fs == 0 && bytes == 0; }
};

class Activity {
 public:
  // Configuration Error when the bins are damaged.
  explicit Activity(data::ActivityTables tables);

  bool empty() const { return tables_.rows.empty(); }
  const std::vector<data::ActivityTables::Series>& series() const { return tables_.series; }

  // The use of every series in [begin, end). The contents of a bin count as evenly distributed over it.
  std::vector<Use> uses(std::int64_t begin_fs, std::int64_t end_fs) const;

  // Calls f(begin, end, busy) in fs for every non-empty bin of a series, in the order of time.
  using TakeBin = std::function<void(std::int64_t, std::int64_t, double)>;
  void for_each_bin(std::size_t series, const TakeBin& take) const;

  // Kinds of resources that are drawn over time: those with a colour.
  static const std::vector<std::string_view>& profiled();
  // For each kind of profiled(), the mean busy share of its series in `part`, in `columns` equal parts of [begin, end).
  std::vector<std::vector<double>> profile(std::int64_t begin_fs, std::int64_t end_fs, std::size_t columns,
                                           const Scope& part) const;

  // Time shares of the PEs of a part: the mean share of one state in each of `columns` equal parts.
  struct StateStrip {
    std::size_t part = 0;  // index in the request
    std::string state;
    std::vector<double> shares;
  };
  // The occurring states of every part in [begin, end), in the order of their series.
  std::vector<StateStrip> states(std::int64_t begin_fs, std::int64_t end_fs, std::size_t columns,
                                 const std::vector<Scope>& parts) const;

 private:
  data::ActivityTables tables_;
  std::vector<std::vector<std::size_t>> rows_of_;  // by series, in the order of time
};

}  // namespace kb::analysis
