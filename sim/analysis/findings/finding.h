// What makes a run slow, with an estimate of what it costs.
#pragma once

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
  std::string rule;                   // "idle_pseudo_channels"; scripts depend on it
  std::uint64_t launch = 0;           // 0 = the run between its launches
  TimeFs gain = 0_fs;                 // estimate of what could be saved,
  TimeFs of = 0_fs;                   // of this: the launch from submission to completion
  std::string headline;               // a phrase
  std::vector<std::string> evidence;  // sentences with figures
  std::string remedy;                 // what to try, an imperative sentence
  std::vector<ChainLink> chain{};     // of waits, back to their origin; at most kMaxLinks
  static constexpr std::size_t kMaxLinks = 32;
  double factor() const {
    return of > gain ? static_cast<double>(of.fs()) / static_cast<double>((of - gain).fs()) : 1.0;
  }
};

}  // namespace kb::sim
