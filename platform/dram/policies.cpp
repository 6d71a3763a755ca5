#include "platform/dram/policies.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"

namespace kb::dram {

void check_refresh(const Standard& standard, RefreshMode mode, int postpone) {
  if (postpone < 0 || postpone > 8) {
    throw Error::configuration(fmt::format("refresh postpone: {} has to be 0 to 8 intervals of tREFI", postpone));
  }
  if (mode == RefreshMode::none) return;
  const Timing& t = standard.timing;
  const bool all = mode == RefreshMode::all_bank;
  // A bank is closed, refreshed and opened for one access; the channel has room for the refreshes of all its banks.
  const int of_bank = (all ? t.rfc : t.rfcpb) + t.rp + t.rc;
  const int of_channel = all ? of_bank : standard.geometry.banks_of_channel() * (t.rrefd + t.rrdl);
  if (t.refi > of_bank && t.refi > of_channel) return;
  throw Error::configuration(
      fmt::format("refresh of {} leaves no time: tREFI = {} ticks, but {} takes {}", standard.name, t.refi,
                  all ? "refreshing all banks" : "refreshing every bank once", std::max(of_bank, of_channel)));
}

}  // namespace kb::dram
