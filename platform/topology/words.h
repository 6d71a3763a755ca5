// Text helpers that summaries and drawings of a machine share.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "platform/base/quantities.h"

namespace kb::topology {

// "1 PE", "8 PEs".
inline std::string plural(std::size_t count, const std::string& word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

// "256 GB/s", or "no limit".
inline std::string bandwidth_text(Bandwidth bw) {
  return bw.limited() ? fmt::format("{} GB/s", bw.gbs()) : "no limit";
}

}  // namespace kb::topology
