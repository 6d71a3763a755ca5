#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/elab/block.h"
#include "platform/payload/messages.h"
#include "platform/payload/transaction.h"

namespace kb::modules {

// Who has come to the barriers of kernels at a command processor, until all have: PEs at an M_CPU, cubes at an IO_CPU.
// One barrier per launch at a time. No module, no time of its own.
class BarrierGate {
 public:
  // Sends the answer, whose status is filled in, now.
  using Respond = std::function<void(payload::Transaction& arrival)>;
  // `noun`: what messages call those that arrive: "PEs".
  BarrierGate(std::string node, std::string noun, Respond respond)
      : node_(std::move(node)), noun_(std::move(noun)), respond_(std::move(respond)) {}

  // Holds an arrival. True when all are there; the owner then opens the barrier or refuses it. An arrival that can meet
  // nobody is refused with all that wait: another's kernel has ended, or waits at a barrier of the other scope.
  bool arrive(payload::Transaction& arrival, const payload::BarrierMsg& message, std::size_t members, std::string name,
              TimeFs now);
  // Answer all that wait, in the order of their arrival. A barrier that opens counts as opened.
  void open(std::uint64_t request) { answer(request, {}); }
  void answer(std::uint64_t request, const payload::Status& status);
  // The kernel, or kernels, at `place` come to no barrier of the launch any more; `all`: the launch is over.
  void ended(std::uint64_t request, const std::string& place, bool all);

  void collect_waits(std::vector<elab::WaitInfo>& waits) const;
  std::int64_t opened() const { return opened_; }

 private:
  struct Rendezvous {
    contract::BarrierScope scope{};
    std::size_t members = 0;
    TimeFs since = 0_fs;
    std::vector<payload::Transaction*> waiting;
    std::vector<std::string> names;  // names of those that wait
  };
  static payload::Status ended_before(const std::string& place, contract::BarrierScope scope);

  std::string node_, noun_;
  Respond respond_;
  std::map<std::uint64_t, Rendezvous> rendezvous_;  // keyed by the host's request
  std::map<std::uint64_t, std::string> ended_;      // the first place of a launch under way whose kernels have ended
  std::int64_t opened_ = 0;
};

}  // namespace kb::modules
