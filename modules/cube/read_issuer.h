// Issue of read bursts at a port of an HBM controller with banks (C-DRAM-3).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "modules/fabric/sliding_deque.h"
#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/payload/transaction.h"

namespace kb::modules {

// Slots of one burst each, spaced by the time that the return edge takes for it. Requesters (nodes that issue reads)
// take turns: one that gets an open command, or has issued a burst and has more, joins the end of the queue. A slot
// goes to the first one in the queue whose next burst's channel has a free entry, else it waits; a requester whose
// channel is full blocks only itself. Unlike ReadArbiter it never looks ahead.
class ReadIssuer {
 public:
  // Where a burst goes: a pseudo-channel and an address inside it.
  struct Target {
    std::uint64_t address = 0;
    std::uint32_t pc = 0;
  };
  struct Command {
    payload::Transaction* transaction = nullptr;
    TimeFs open = 0_fs;
    TimeFs passed_over = kNever;  // since when its channel had no entry for the next burst
    Target target;                // of the next burst
    std::uint32_t next = 0;       // index of the next burst
  };

  // take_turns = false: all commands in arrival order.
  void configure(bool take_turns) { take_turns_ = take_turns; }
  // Calls are in order of `open`.
  void add(payload::Transaction& transaction, TimeFs open, const Target& target);

  bool empty() const { return queue_.empty(); }
  // When the next slot can begin at the earliest; kNever without a command.
  TimeFs next_slot() const { return next_slot_; }

  // The command that gets the slot at next_slot(); null when all have to wait, and then the slot is put off to the time
  // `retry(command)` of the earliest one (kNever: unknown, call retry() later), or until another command opens.
  // Both are asked for the command's next burst.
  template <typename HasEntry, typename Retry>
  Command* choose(HasEntry&& has_entry, Retry&& retry);
  // Asks again when a slot that was put off to an unknown time can begin.
  template <typename Retry>
  void retry(Retry&& retry) {
    if (next_slot_ != kNever) return;
    for (const std::uint32_t i : queue_) next_slot_ = std::min(next_slot_, retry(requesters_[i].commands.front()));
  }
  // The chosen command's next burst is issued in the slot; the next slot begins `spacing` later. The caller has set the
  // target of the burst behind it.
  void issue(Command& command, TimeFs spacing);

  template <typename F>
  void for_each(F&& f) const {
    for (const Requester& requester : requesters_) {
      for (std::size_t i = 0; i < requester.commands.size(); ++i) f(requester.commands[i]);
    }
  }

 private:
  struct Requester {
    NodeId node;
    SlidingDeque<Command> commands;
  };

  std::uint32_t requester_of(const payload::Transaction& transaction);

  bool take_turns_ = true;
  std::vector<Requester> requesters_;
  std::vector<std::uint32_t> queue_;  // requesters with commands, by turn
  std::size_t chosen_ = 0;            // position in the queue
  TimeFs issuer_free_ = 0_fs;
  TimeFs next_slot_ = kNever;
};

template <typename HasEntry, typename Retry>
ReadIssuer::Command* ReadIssuer::choose(HasEntry&& has_entry, Retry&& retry) {
  TimeFs put_off = kNever;
  for (chosen_ = 0; chosen_ < queue_.size(); ++chosen_) {
    Command& command = requesters_[queue_[chosen_]].commands.front();
    if (has_entry(command)) return &command;
    command.passed_over = std::min(command.passed_over, next_slot_);
    put_off = std::min(put_off, retry(command));
  }
  next_slot_ = put_off;
  return nullptr;
}

}  // namespace kb::modules
