// Where the ranks of a group come together before they launch (chapter 08, section 4).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sw/runtime/runtime.h"

namespace kb::sw {

class Meeting {
 public:
  struct Entry {  // what a rank brings
    std::string what;
    PreparedLaunch launch;
  };

  // `ranks` are those of the spawn that must come.
  Meeting(Runtime& runtime, std::vector<int> ranks);

  // Every rank, or none: returns when all have called it, in the same simulated moment, with one start stamp for all
  // launches. Program Error COLLECTIVE_ERROR, naming the ranks, when they bring different things, when a rank that has
  // not come has ended, and when there are more or fewer ranks than those of the group.
  void attend(Entry entry);

 private:
  void attend_as(int rank, Entry entry);
  void require_agreement() const;
  std::string absent() const;

  Runtime& runtime_;
  std::vector<int> ranks_;
  std::map<int, Entry> came_;  // by rank
};

}  // namespace kb::sw
