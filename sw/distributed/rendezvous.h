// Rendezvous of the ranks of a group before a launch (K-16 .. K-20).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sw/runtime/runtime.h"

namespace kb::sw {

// The ranks of a run that wait for others, with the reason for messages: "barrier() of group 'a'".
struct BlockedRanks {
  int world_size = 1;
  std::map<int, std::string> in;
};

class Rendezvous {
 public:
  struct Entry {  // contribution of a rank
    std::string what;
    PreparedLaunch launch;
    std::function<void()> prepare = {};  // called once when all ranks have arrived and agree, before the launches
  };

  // `ranks` are the participants (ranks of the spawn); `group` is the group's name in messages, "" for all ranks of a
  // run.
  Rendezvous(Runtime& runtime, std::shared_ptr<BlockedRanks> waiting, std::vector<int> ranks, const std::string& group);

  // Barrier: returns when every rank has called it, at the same simulated time, with a common start stamp for all
  // launches. Program Error COLLECTIVE_ERROR that names the ranks: when contributions differ, when a missing rank has
  // ended or waits elsewhere forever, when the caller is not a participant, and when the number of ranks of the spawn
  // differs from that of the run.
  void attend(Entry entry);

  // " of group 'a'"; empty for all ranks.
  const std::string& of_group() const { return of_group_; }
  // Rank of the caller in the spawn. COLLECTIVE_ERROR when it is not one of ranks(); the message begins with `what`.
  int require_member(const std::string& what) const;

 private:
  void attend_as(int rank, Entry entry);
  void require_agreement() const;
  std::string absent() const;
  std::string everybody() const;

  Runtime& runtime_;
  std::shared_ptr<BlockedRanks> waiting_;
  std::vector<int> ranks_;
  std::string of_group_;
  std::map<int, Entry> arrived_;  // indexed by rank
};

}  // namespace kb::sw
