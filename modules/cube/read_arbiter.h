// Arbitration of read bursts at a port of an HBM controller (C-HBM-11).
#pragma once

#include <cstdint>
#include <vector>

#include "modules/cube/access_unit.h"
#include "modules/cube/pseudo_channels.h"
#include "modules/fabric/sliding_deque.h"
#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/payload/transaction.h"

namespace kb::modules {

// The issuer has consecutive slots of one burst each. Requesters (nodes that issue reads) with an open command take
// turns in round robin: a requester that gets an open command joins the end of the queue, and so does one that has
// issued a burst and has more. A slot goes to the first requester in the queue whose next burst finds its
// pseudo-channel free. The head of the queue gets it when no such requester exists, or when the head has waited for one
// burst per requester, to prevent starvation. Commands of one requester are served in arrival order. The queue is
// sorted by the times of joining and has no other state, so that slots can be rolled back.
class ReadArbiter {
 public:
  struct Command {
    payload::Transaction* transaction = nullptr;
    TimeFs open = 0_fs;
    std::uint32_t next = 0;  // index of the next burst
    std::uint64_t sequence = 0;
  };
  // Consecutive slots for `count` bursts of one command; the first slot is `slot`.
  struct Share {
    Command command;
    TimeFs slot = 0_fs;
    std::uint32_t count = 0;
    TimeFs issuer_before = 0_fs, slot_before = 0_fs;  // state before the share, restored by give_back()
  };

  // take_turns = false: all commands in arrival order. `channel`: channel of all bursts, or kByAddress.
  void configure(bool take_turns, const AccessUnit& unit, Bandwidth return_bw, std::uint32_t channel);

  bool empty() const { return active_ == 0; }
  TimeFs interval() const { return interval_; }  // spacing of slots; smaller after a partial burst
  // Time of the next slot; there must be a command.
  TimeFs next_slot() const { return next().slot; }
  // True when the winner of the slot depends on the state of the pseudo-channels. In this case call choose() first,
  // when all bursts before the slot have entered and no later one has.
  bool is_contested() const { return next().open > 1 && !chosen_; }
  void choose(const PseudoChannels& channels);
  void forget_choice() {
    if (chosen_) forget_next();
  }
  const Command& next_command() const { return requesters_[next().requester].commands.front(); }

  // Opens a command at `open`; calls are in order. Returns the first time at which a taken slot could now go to another
  // requester; kNever when there is none.
  TimeFs add(payload::Transaction& transaction, TimeFs open, std::uint64_t sequence);
  // Returns the consecutive slots, from the next one on, that one command would get if only reads enter meanwhile; call
  // take() to take them. `trial` is memory for a copy of the state of the pseudo-channels.
  Share share(const PseudoChannels& channels, PseudoChannels& trial) const;
  // Takes the slots of a share; the caller may have reduced its count.
  void take(const Share& share);
  // Returns taken slots that were not issued: those from `first` on, which begin at `slot`. Calls are newest first;
  // `share` is the share that was taken.
  void give_back(const Share& share, std::uint32_t first, TimeFs slot);

  template <typename F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < requesters_.size(); ++i) {
      for (std::size_t k = 0; k < requesters_[i].commands.size(); ++k) f(requesters_[i].commands[k]);
    }
  }

 private:
  struct Requester {
    NodeId node;
    TimeFs slot = -1_fs;         // latest slot; -1: none
    TimeFs issuer_after = 0_fs;  // when the issuer was free after that slot
    SlidingDeque<Command> commands;
  };
  // When a requester joined the end of the queue. At equal times, commands open before the burst of a slot is issued.
  struct Joined {
    TimeFs time;
    bool after_slot = false;
    std::uint64_t sequence = 0;
    friend bool operator<(const Joined& a, const Joined& b) {
      if (a.time != b.time) return a.time < b.time;
      return a.after_slot != b.after_slot ? b.after_slot : a.sequence < b.sequence;
    }
  };
  // The arbitration state of a requester; small, because all are scanned for every slot.
  struct Waiting {
    TimeFs open = kNever;  // when its first command opens; kNever: no command
    Joined turn;
    std::uint64_t offset = 0;  // offset of that command in the HBM
    std::uint32_t next = 0;    // next burst of that command
  };
  struct Next {
    TimeFs slot = kNever;
    std::size_t requester = 0;    // the first in the queue, or the chosen one
    TimeFs others_open = kNever;  // earliest opening of a command after `slot`; kNever: none
    std::size_t open = 0;         // number of requesters with an open command at `slot`
  };

  // Updates the Waiting entry after a change of the first command or the latest slot.
  void note(const Requester& requester);
  // Adds a requester when needed; later commands open at `open` or later.
  Requester& requester_of(const payload::Transaction& transaction, TimeFs open);
  TimeFs slot_time(const Command& command, std::uint32_t burst) const;
  std::uint32_t left(const Command& command) const { return command.transaction->flits - command.next; }
  const Next& next() const;
  void forget_next() { next_known_ = chosen_ = false; }
  // Calls f(index, waiting) for all candidates of the next slot.
  template <typename F>
  void for_each_open(F&& f) const;
  std::size_t channel_of(const PseudoChannels& channels, const Waiting& waiting) const;
  // Maximum time for which the first requester may be passed over while its pseudo-channel is busy.
  TimeFs longest_wait(const PseudoChannels& channels) const;
  std::uint32_t slots_in_a_row(const PseudoChannels& channels, PseudoChannels& trial) const;

  bool take_turns_ = true;
  AccessUnit unit_;
  Bandwidth return_bw_;
  TimeFs interval_ = 0_fs;
  std::uint32_t channel_ = kByAddress;
  TimeFs issuer_free_ = 0_fs;
  std::vector<Requester> requesters_;
  std::vector<Waiting> waiting_;
  std::size_t active_ = 0;  // number of requesters with commands
  mutable Next next_;
  mutable bool next_known_ = false;
  bool chosen_ = false;
};

}  // namespace kb::modules
