// What bounds a kernel, in a word and as a phrase.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "sim/analysis/findings/message_waits.h"
#include "sim/result/launch_record.h"

namespace kb::sim {

// At the PE that ended last: its resource that was in use for at least half of the kernel; where there is none, the
// largest part of its time.
struct Limiter {
  std::string name;    // of a PeResource or a TimeShare: "read_channel", "dependency"
  std::string phrase;  // "waited for messages, mostly from sip0.cube1.pe0"
  TimeFs time = 0_fs;

  // "..., 71.0 %"
  std::string text(TimeFs kernel) const;
};
// Returns no value when no PE ran, or none took time.
std::optional<Limiter> limiter_of(const LaunchRecord& launch);

// Sets the PEs whose messages the launches waited for longest.
void name_awaited(std::deque<LaunchRecord>& launches, const MessageWaits& waits);

}  // namespace kb::sim
