// How busy the resources of a machine were in a window of time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/data/activity_tables.h"

namespace kb::analysis {

struct Use {
  double busy_fs = 0, wait_fs = 0, bytes = 0;
  std::int64_t queue = 0;  // the longest

  bool is_empty() const { return busy_fs == 0 && wait_fs == 0 && bytes == 0; }
};

// True for "sip0.cube1" and "sip0.cube1.pe0", not for "sip0.cube10"; an empty prefix is above all.
bool is_under(std::string_view name, std::string_view prefix);

class Activity {
 public:
  // Configuration Error when its bins are damaged.
  explicit Activity(data::ActivityTables tables);

  bool empty() const { return tables_.rows.empty(); }
  const std::vector<data::ActivityTables::Series>& series() const { return tables_.series; }

  // Returns the use of every series in [begin, end). What lies in a bin counts as spread evenly over it.
  std::vector<Use> uses(std::int64_t begin_fs, std::int64_t end_fs) const;

  // Calls f(begin, end, busy) in fs for every bin of a series in which something happened, in order of time.
  using TakeBin = std::function<void(std::int64_t, std::int64_t, double)>;
  void for_each_bin(std::size_t series, const TakeBin& take) const;

  static constexpr std::array<std::string_view, 4> kProfiled = {"engine", "dma", "pseudo_channel", "link"};
  // For each kind of kProfiled, the mean share of the busy time of its series below `prefix` (of a PE: and of
  // its HBM slice), in `columns` equal pieces
  // of [begin, end).
  std::vector<std::vector<double>> profile(std::int64_t begin_fs, std::int64_t end_fs, std::size_t columns,
                                           std::string_view prefix) const;

  // How the PEs below a node spent their time: for one state, its mean share of each of `columns` equal pieces.
  struct StateStrip {
    std::size_t node = 0;  // position in the request
    std::string state;
    std::vector<double> shares;
  };
  // Returns the states of every node that were met in [begin, end), in the order of their series.
  std::vector<StateStrip> states(std::int64_t begin_fs, std::int64_t end_fs, std::size_t columns,
                                 const std::vector<std::string>& nodes) const;

 private:
  data::ActivityTables tables_;
  std::vector<std::vector<std::size_t>> rows_of_;  // by series, in order of time
};

}  // namespace kb::analysis
