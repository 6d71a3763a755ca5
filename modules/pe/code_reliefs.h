#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/account/place.h"

namespace kb::modules {

// Changes of kernels that are supposed and not written, so that `kernbench why` can measure what they would bring. One
// object for all PEs of a machine (elab::BlockContext::shared).
//
// no_wait: the kernel does not wait for the calls of these lines ("gemm.cpp:41", with as much of the path as it takes).
// Their commands run concurrently, as those of asynchronous calls do, and the kernel ends when they have ended.
// copies: every PE reads these tensors from its own memory, as if it had a copy.
//
// work: PEs do only a share of their work: of the transfers and computations of each line, evenly spread, the others
// take no time.
// Messages and barriers remain, because other PEs wait for them.
//
// They change times and no data: a kernel that does not wait for a load computes on what is not there yet.
struct CodeReliefs {
  std::vector<std::string> no_wait, copies;
  struct Work {
    std::string pes;  // pattern of PEs: "sip0.cube*.pe2"
    double share = 1;
  };
  std::vector<Work> work;

  bool names_calls() const { return !no_wait.empty() || !copies.empty(); }
  bool waits_not(const account::PlaceTable& places, account::PlaceId place) {
    return names_calls() && (look(places, place) & kNoWait) != 0;
  }
  bool reads_copy(const account::PlaceTable& places, account::PlaceId place) {
    return names_calls() && (look(places, place) & kCopy) != 0;
  }
  // The share of its work that a PE does.
  double work_of(const std::string& pe);
  // Entries that no call had, in the order of the lists.
  std::vector<std::string> unused() const;
  // Patterns of `work` that matched no PE.
  std::vector<std::string> unused_work() const;

 private:
  static constexpr std::uint8_t kKnown = 1, kNoWait = 2, kCopy = 4;

  bool is_used(const std::string& name) const;
  std::uint8_t look(const account::PlaceTable& places, account::PlaceId place);
  std::uint8_t compare(const account::PlaceTable& places, const account::Place& site);

  std::vector<std::uint8_t> sites_;  // by site: flags
  std::vector<std::string> used_;
};

}  // namespace kb::modules
