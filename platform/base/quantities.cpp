#include "platform/base/quantities.h"

#include <ostream>

namespace kb {

TimeFs Bandwidth::occupancy(std::uint64_t bytes) const {
  if (!limited()) return 0_fs;
  const double fs = static_cast<double>(bytes) * 1e6 / gbs_;
  if (!(fs < 4.5e15)) return round_fs(fs);
  // round_fs() without a library call: below 2^52 the fraction is exact.
  const auto whole = static_cast<std::int64_t>(fs);
  return TimeFs(fs - static_cast<double>(whole) >= 0.5 ? whole + 1 : whole);
}

void PrintTo(Bandwidth bandwidth, std::ostream* out) {
  *out << bandwidth.gbs() << " GB/s";
}

}  // namespace kb
