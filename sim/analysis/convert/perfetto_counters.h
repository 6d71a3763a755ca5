// The activity of a run as trace counters.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/analysis/convert/trace_stream.h"
#include "sim/analysis/recorded/activity.h"

namespace kb::convert {

class PerfettoCounters {
 public:
  // Uses all resources with activity; wires only on request. Bins are merged, on one time grid for all, until the
  // values take at most about `most_bytes`.
  PerfettoCounters(const analysis::Activity& activity, bool wires, std::uint64_t most_bytes);

  // `new_track` returns the number of the track for the given series.
  using NewTrack = std::function<std::uint64_t(const data::ActivityTables::Series&, std::size_t rank)>;
  void write(TraceStream& trace, const NewTrack& new_track) const;

 private:
  using Take = std::function<void(std::int64_t time_fs, std::uint64_t per_mille)>;

  bool is_shown(std::size_t series) const;
  // Visits the values at which a counter changes; 0 between merged bins without activity.
  void for_each_value(std::size_t series, const Take& take) const;
  std::uint64_t values() const;

  const analysis::Activity& activity_;
  bool wires_;
  std::int64_t grid_fs_ = 1;
};

}  // namespace kb::convert
