// Where the time of kernels went, by line.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "platform/account/place.h"
#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/contract/time_shares.h"

namespace kb::record {

// Time of one PE's kernel while its thread stood at a line, by time share. The time of a wait or a receive also has the
// line that issued what held it.
struct LineTime {
  account::PlaceId line;     // nobody's: the kernel's function has returned, and its asynchronous calls have not
  account::PlaceId held_by;  // `line` itself when the thread waited for its own call
  std::array<TimeFs, contract::kShares> time{};
};

// The same, summed over the PEs of a launch: the time of one share.
struct LineShare {
  account::PlaceId line;
  account::PlaceId held_by;
  std::uint32_t share = 0;  // contract::share_index()
  TimeFs sum = 0_fs;        // over all PEs
  TimeFs last = 0_fs;       // on the PE whose kernel ended last
};

// Sums over the PEs of each launch, and the lines of the PE that ended last (of several, the first one in machine
// order). The times of a PE add up to the duration of its kernel.
class LineTimes {
 public:
  // A kernel of this launch has ended.
  void add(std::uint64_t launch, const PeCoord& pe, TimeFs ended, const std::vector<LineTime>& lines);

  // In the order of (line, held_by, share); null for a launch of which no kernel has ended.
  const std::vector<LineShare>* of_launch(std::uint64_t launch) const;

 private:
  struct Launch {
    std::vector<LineShare> shares;  // sorted
    PeCoord last_pe;
    TimeFs last_end = kNever;  // kNever: no kernel has ended
  };

  std::unordered_map<std::uint64_t, Launch> launches_;
};

}  // namespace kb::record
