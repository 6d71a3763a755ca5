// Where the ranks of a group come together before they launch (K-16 .. K-20).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sw/runtime/runtime.h"

namespace kb::sw {

// Which ranks of a run wait for others, in whatever group, and in what: "barrier() of group 'a'". For messages.
struct WaitingRanks {
  int world_size = 1;
  std::map<int, std::string> in;
};

class Rendezvous {
 public:
  struct Entry {  // what a rank brings
    std::string what;
    PreparedLaunch launch;
    std::function<void()> prepare = {};  // done once, when all have come and agree, before anything is launched
  };

  // `ranks` are those of the spawn that must come; `group` is what messages call them: "" for all of a run.
  Rendezvous(Runtime& runtime, std::shared_ptr<WaitingRanks> waiting, std::vector<int> ranks, const std::string& group);

  // Every rank, or none: returns when all have called it, in the same simulated moment, with one start stamp for all
  // launches. Program Error COLLECTIVE_ERROR, naming the ranks, when they bring different things, when a rank that has
  // not come has ended or waits elsewhere forever, when the caller is none of the ranks, and when the spawn has more
  // or fewer ranks than the run has.
  void attend(Entry entry);

  // " of group 'a'", or nothing for all ranks.
  const std::string& of_group() const { return of_group_; }
  // The caller: its rank in the spawn, which is one of ranks(). COLLECTIVE_ERROR when it is none, in words of `what`.
  int require_member(const std::string& what) const;

 private:
  void attend_as(int rank, Entry entry);
  void require_agreement() const;
  std::string absent() const;
  std::string everybody() const;

  Runtime& runtime_;
  std::shared_ptr<WaitingRanks> waiting_;
  std::vector<int> ranks_;
  std::string of_group_;
  std::map<int, Entry> came_;  // by rank
};

}  // namespace kb::sw
