// The activity of a run as counters of a trace.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/analysis/convert/trace_stream.h"
#include "sim/analysis/recorded/activity.h"

namespace kb::convert {

class PerfettoCounters {
 public:
  // Takes every resource with activity; wires only when asked for. Bins are merged, all on the same grid of time, until
  // the values take at most about `most_bytes`.
  PerfettoCounters(const analysis::Activity& activity, bool wires, std::uint64_t most_bytes);

  // `new_track` gives the number of a track for the series that it describes.
  using NewTrack = std::function<std::uint64_t(const data::ActivityTables::Series&, std::size_t rank)>;
  void write(TraceStream& trace, const NewTrack& new_track) const;

 private:
  using Take = std::function<void(std::int64_t time_fs, std::uint64_t per_mille)>;

  bool is_shown(std::size_t series) const;
  // The values where they change; 0 between merged bins without activity.
  void for_each_value(std::size_t series, const Take& take) const;
  std::uint64_t values() const;

  const analysis::Activity& activity_;
  bool wires_;
  std::int64_t grid_fs_ = 1;
};

}  // namespace kb::convert
