// The limiter of a kernel: its bounding resource or stall reason.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "sim/analysis/findings/message_waits.h"
#include "sim/result/launch_record.h"

namespace kb::sim {

// Limiter at the last-ending PE: the resource that was busy for at least half of the kernel, or else the largest part
// of the PE's time.
struct Limiter {
  std::string name;    // name of a PeResource or a TimeShare: "read_channel", "dependency"
  std::string phrase;  // "waited for messages, mostly from sip0.cube1.pe0"
  TimeFs time = 0_fs;

  // The phrase followed by the percentage of the kernel's time: "..., 71.0 %".
  std::string text(TimeFs kernel) const;
};
// Returns no value when no PE ran, or when all took zero time.
std::optional<Limiter> limiter_of(const LaunchRecord& launch);

// Sets LaunchRecord::awaited of the launches.
void name_awaited(std::deque<LaunchRecord>& launches, const MessageWaits& waits);

}  // namespace kb::sim
