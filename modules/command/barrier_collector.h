#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/elab/block.h"
#include "platform/payload/messages.h"
#include "platform/payload/transaction.h"

namespace kb::modules {

// Collects the arrivals at the barriers of kernels at a command processor: PEs at an M_CPU, cubes at an IO_CPU. A
// launch has one barrier at a time. It is not a module and takes no time.
class BarrierCollector {
 public:
  // Sends the answer now; its status is set.
  using Respond = std::function<void(payload::Transaction& arrival)>;
  // `noun` is the term for arriving members in messages: "PEs".
  BarrierCollector(std::string node, std::string noun, Respond respond)
      : node_(std::move(node)), noun_(std::move(noun)), respond_(std::move(respond)) {}

  // Holds an arrival; null: a member that needs no answer. Returns true when all members have arrived; the owner then
  // opens or refuses the barrier. When the barrier can never complete, because a member's kernel has ended or waits at
  // a barrier of the other scope, all waiting arrivals are refused.
  bool arrive(payload::Transaction* arrival, const payload::BarrierMsg& message, std::size_t members, std::string name,
              TimeFs now);
  // When the last of those who have arrived came; 0 when nobody has.
  TimeFs reached(std::uint64_t request) const;
  // These answer all waiting arrivals in the order of arrival. Only open() counts in the statistics. `reply` goes with
  // each answer.
  void open(std::uint64_t request, const std::shared_ptr<const payload::Message>& reply = nullptr) {
    answer(request, {}, reply);
  }
  void answer(std::uint64_t request, const payload::Status& status,
              const std::shared_ptr<const payload::Message>& reply = nullptr);
  // The kernels at `place` will reach no further barrier of the launch; `all`: the launch is over.
  void ended(std::uint64_t request, const std::string& place, bool all);

  void collect_waits(std::vector<elab::WaitInfo>& waits) const;
  std::int64_t opened() const { return opened_; }

 private:
  struct Rendezvous {
    contract::BarrierScope scope{};
    std::size_t members = 0;
    TimeFs since = 0_fs, reached = 0_fs;
    std::vector<payload::Transaction*> waiting;
    std::vector<std::string> names;  // of the members that have arrived
  };
  static payload::Status ended_before(const std::string& place, contract::BarrierScope scope);

  std::string node_, noun_;
  Respond respond_;
  std::map<std::uint64_t, Rendezvous> rendezvous_;  // key: request number of the launch
  std::map<std::uint64_t, std::string> ended_;      // first place of a running launch whose kernels have ended
  std::int64_t opened_ = 0;
};

}  // namespace kb::modules
