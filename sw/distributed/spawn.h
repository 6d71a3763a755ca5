// Host workers: one thread of control per rank, rank = SIP by convention (K-31 .. K-43).
#pragma once

#include <functional>
#include <map>
#include <string>

#include "platform/base/error.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

enum class RankMode {
  lockstep,     // all ranks of a round resume together, when the last pending request of the round is done (K-35, K-36)
  independent,  // each rank resumes when its own requests are done
};

struct SpawnOptions {
  RankMode mode = RankMode::lockstep;
  std::string name = "spawn";  // in the who-waits-for-what table
};

// One or more ranks threw. Lists only ranks that failed by themselves, not siblings that were ended because of them
// (K-42). Family and code are those of the first root cause.
class SpawnError : public Error {
 public:
  SpawnError(const Error& first, std::map<int, std::string> errors);
  const std::map<int, std::string>& errors() const { return errors_; }  // rank -> message

 private:
  std::map<int, std::string> errors_;
};

// Runs fn(rank) for rank 0 .. nprocs-1 and returns when all have finished. A rank must bind its device first with
// Runtime::set_device, and must reach a wait or a host read in a finite number of host steps (K-37). When a rank
// throws, its siblings are ended at their next wait and SpawnError is thrown; requests in flight stay so, and the
// context should be given up. Program Error SPAWN_ERROR when nprocs < 1 or spawns are nested.
void spawn(Runtime& runtime, int nprocs, const std::function<void(int rank)>& fn, const SpawnOptions& options = {});

// The calling rank and how many there are; 0 of 1 in the main program, the former with a warning (K-21).
int get_rank(Runtime& runtime);
int get_world_size(const Runtime& runtime);

// Both names of the device binding share one registry: host programs are written for either (K-22).
namespace ahbm {
void set_device(Runtime& runtime, int sip);
int current_device(Runtime& runtime);
}  // namespace ahbm
namespace accelerator {
void set_device_index(Runtime& runtime, int sip);
int current_device_index(Runtime& runtime);
}  // namespace accelerator

}  // namespace kb::sw
