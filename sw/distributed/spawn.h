// Host workers: one host thread per rank, where rank = SIP by convention (K-31 .. K-43).
#pragma once

#include <functional>
#include <map>
#include <string>

#include "platform/base/error.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

enum class RankMode {
  lockstep,     // all ranks resume together, when the last pending request of the round is done (K-35, K-36)
  independent,  // each rank resumes when its own requests are done
};

struct SpawnOptions {
  RankMode mode = RankMode::lockstep;
  std::string name = "spawn";  // name in the table of waits
};

// One or more ranks have thrown. It lists only ranks that failed themselves, not those that were ended because of them
// (K-42). Family and code are those of the first cause.
class SpawnError : public Error {
 public:
  SpawnError(const Error& first, std::map<int, std::string> errors);
  const std::map<int, std::string>& errors() const { return errors_; }  // rank -> message

 private:
  std::map<int, std::string> errors_;
};

// Runs fn(rank) for rank 0 .. nprocs-1 and returns when all have finished. A rank must first bind its device with
// Runtime::set_device, and must reach a wait or a host read after a finite number of host steps (K-37). When a rank
// throws, the others are ended at their next wait and SpawnError is thrown; requests in flight continue, and the
// context should be abandoned. Program Error SPAWN_ERROR when nprocs < 1 or spawns are nested.
void spawn(Runtime& runtime, int nprocs, const std::function<void(int rank)>& fn, const SpawnOptions& options = {});

// Rank of the caller and number of ranks; 0 and 1 in the main program, where get_rank() also warns (K-21).
int get_rank(Runtime& runtime);
int get_world_size(const Runtime& runtime);

// These names of the device binding are equivalent to Runtime's, so that host programs can use either (K-22).
namespace ahbm {
void set_device(Runtime& runtime, int sip);
int current_device(Runtime& runtime);
}  // namespace ahbm
namespace accelerator {
void set_device_index(Runtime& runtime, int sip);
int current_device_index(Runtime& runtime);
}  // namespace accelerator

}  // namespace kb::sw
