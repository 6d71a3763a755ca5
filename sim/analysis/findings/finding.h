// Causes of a slow run, with their cost at most.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/units.h"

namespace kb::sim {

// A message that a PE waited for.
struct ChainLink {
  PeCoord pe, sender;
  TimeFs awaited = 0_fs, sent = 0_fs, arrived = 0_fs, received = 0_fs;
};

struct Finding {
  std::string rule;                   // "idle_pseudo_channels"; used by scripts
  std::uint64_t launch = 0;           // 0 = the gaps between launches
  TimeFs gain = 0_fs;                 // time that could be saved at most
  TimeFs counted = kNever;            // what was counted for this cause alone, if that is less
  TimeFs total = 0_fs;                // total time: the launch from submission to completion
  std::string headline;               // a noun phrase
  std::vector<std::string> evidence;  // sentences with numbers
  std::string remedy;                 // proposed change, as an imperative sentence
  std::vector<ChainLink> chain{};     // chain of waits back to its origin; at most kMaxLinks
  static constexpr std::size_t kMaxLinks = 32;
  TimeFs own_gain() const { return std::min(gain, counted); }  // findings stand by it
  double factor() const {
    return total > gain ? static_cast<double>(total.fs()) / static_cast<double>((total - gain).fs()) : 1.0;
  }
};

}  // namespace kb::sim
