#include "sim/analysis/convert/perfetto_counters.h"

#include <algorithm>
#include <cmath>

namespace kb::convert {

PerfettoCounters::PerfettoCounters(const analysis::Activity& activity, bool wires, std::uint64_t most_bytes)
    : activity_(activity), wires_(wires) {
  constexpr std::uint64_t kBytes = 14;  // bytes per value
  constexpr std::int64_t kFirstGrid = std::int64_t{1} << 24, kLastGrid = std::int64_t{1} << 62;
  while (grid_fs_ < kLastGrid && values() * kBytes > most_bytes) grid_fs_ = std::max(kFirstGrid, 2 * grid_fs_);
}

bool PerfettoCounters::is_shown(std::size_t series) const {
  const std::string& kind = activity_.series()[series].kind;
  return kind != "state" && (kind != "wire" || wires_);
}

void PerfettoCounters::for_each_value(std::size_t series, const Take& take) const {
  const auto units = static_cast<double>(std::max<std::int64_t>(1, activity_.series()[series].units));
  std::int64_t begin = 0, end = 0;  // of the merged values
  double busy = 0;
  std::uint64_t last = 0;
  const auto change = [&](std::int64_t time, std::uint64_t value) {
    if (value != last) take(time, value);
    last = value;
  };
  const auto finish = [&] {
    constexpr double kPerMille = 1000;
    if (end > begin) {
      const double share = busy / (units * static_cast<double>(end - begin));
      change(begin, static_cast<std::uint64_t>(std::lround(kPerMille * share)));
    }
  };
  activity_.for_each_bin(series, [&](std::int64_t from, std::int64_t to, double busy_fs) {
    if (from / grid_fs_ != begin / grid_fs_ || end == begin) {
      finish();
      if (end < from) change(end, 0);
      begin = from;
      busy = 0;
    }
    end = to;
    busy += busy_fs;
  });
  finish();
  change(end, 0);
}

std::uint64_t PerfettoCounters::values() const {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < activity_.series().size(); ++i) {
    if (is_shown(i)) for_each_value(i, [&](std::int64_t, std::uint64_t) { ++count; });
  }
  return count;
}

void PerfettoCounters::write(TraceStream& trace, const NewTrack& new_track) const {
  for (std::size_t i = 0; i < activity_.series().size(); ++i) {
    if (!is_shown(i)) continue;
    TraceStream::Track track = trace.start(new_track(activity_.series()[i], i));
    for_each_value(i, [&](std::int64_t time_fs, std::uint64_t value) { trace.value(track, time_fs, value); });
  }
}

}  // namespace kb::convert
