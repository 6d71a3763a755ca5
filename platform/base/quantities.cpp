#include "platform/base/quantities.h"

#include <ostream>

namespace kb {

TimeFs Bandwidth::occupancy(std::uint64_t bytes) const {
  return occupancy_fs(bytes, gbs_);
}

void PrintTo(Bandwidth bandwidth, std::ostream* out) {
  *out << bandwidth.gbs() << " GB/s";
}

}  // namespace kb
