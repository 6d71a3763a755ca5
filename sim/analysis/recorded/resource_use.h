// What resources were called and how much of them was used, for pages and reports alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/analysis/recorded/activity.h"
#include "sim/analysis/recorded/machine.h"

namespace kb::analysis {

using Series = data::ActivityTables::Series;

// "sip0.cube0.r0c1" of the series "to_sip0.cube0.r0c1"; empty for what is no wire.
std::string peer_of(const Series& series);
// "sip*.cube*.pe*.pe_dma read": what all resources of one purpose are called.
std::string class_of(const Series& series);
double units_of(const Series& series);
// The share of all units in a window of `span_fs`.
double share_of(const Use& use, const Series& series, double span_fs);
// GB/s of a wire or a pseudo-channel; 0 when unknown, and of other resources.
double gbs_of(const Series& series, const Machine* machine);

// Resources that are looked at together.
struct UseSum {
  double share = 0, most = 0, units = 0, bytes = 0, wait_fs = 0;
  std::int64_t queue = 0;              // the longest
  std::size_t count = 0, busiest = 0;  // the series

  void add(std::size_t series, const Use& use, double used, double of_units) {
    share += used * of_units;
    units += of_units;
    bytes += use.bytes;
    wait_fs += use.wait_fs;
    queue = std::max(queue, use.queue);
    if (count++ > 0 && used <= most) return;
    most = used;
    busiest = series;
  }
};

// Sums the resources below `under` that were used, by class_of(). `uses` is Activity::uses() of a window of
// `span_fs`.
std::map<std::string, UseSum> uses_by_purpose(const Activity& activity, const std::vector<Use>& uses, double span_fs,
                                              const std::string& under);

// Sums by cell_of() and kind, except wires that lead from one group_of() to another: their series are in `between`.
struct CellUses {
  std::map<std::pair<std::string, std::string>, UseSum> cells;
  std::vector<std::size_t> between;
};
CellUses uses_by_cell(const Activity& activity, const std::vector<Use>& uses, double span_fs);

}  // namespace kb::analysis
