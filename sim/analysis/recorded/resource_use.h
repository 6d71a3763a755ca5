// Names and use of resources, for pages and reports.
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

// The part of the machine of a series: a PE (with its HBM slice), a cube or an IO chiplet; the node outside of SIPs.
std::string cell_of(const Series& series);
// Common name of all resources with one purpose: "sip*.cube*.pe*.pe_dma read".
std::string class_of(const Series& series);
double units_of(const Series& series);
// Busy share over all units in a window of `span_fs`.
double share_of(const Use& use, const Series& series, double span_fs);
// GB/s of a wire or a pseudo-channel; 0 when unknown, and for other resources.
double gbs_of(const Series& series, const Machine* machine);

// Sum over several resources.
struct UsageSum {
  double share = 0, most = 0, units = 0, bytes = 0, wait_fs = 0;
  std::int64_t queue = 0;              // maximum length
  std::size_t count = 0, busiest = 0;  // number of series; index of the busiest one

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

// Sums of the used resources of `part`, by class_of(). `uses` is the result of Activity::uses() for a window of
// `span_fs`.
std::map<std::string, UsageSum> uses_by_purpose(const Activity& activity, const std::vector<Use>& uses, double span_fs,
                                                const Scope& part);

// Sums by cell_of() and kind; wires between two chips are excluded and listed in `between`.
struct CellUses {
  std::map<std::pair<std::string, std::string>, UsageSum> cells;
  std::vector<std::size_t> between;
};
CellUses uses_by_cell(const Activity& activity, const std::vector<Use>& uses, double span_fs);

}  // namespace kb::analysis
