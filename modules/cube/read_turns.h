// Who may issue the next read burst at a port of an HBM controller (C-HBM-11).
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

// One slot after the other, a burst each. Requesters (nodes that issue reads) with an open command take turns; one that
// gets an open command joins at the end of the turn, one that issues a burst and has more goes there. A slot goes to
// the first in turn whose next burst finds its pseudo-channel free; to the very first when there is none, or when it
// has waited for a burst of each requester, so that nobody starves. The commands of a requester are served in the order
// of arrival. The order of turns is that of the times at which requesters joined: nothing else has to be kept, and
// slots can be given back.
class ReadTurns {
 public:
  struct Command {
    payload::Transaction* transaction = nullptr;
    TimeFs open = 0_fs;
    std::uint32_t next = 0;  // index of the next burst
    std::uint64_t sequence = 0;
  };
  // What a requester gets: slots in a row for `count` bursts of a command, the first one at `slot`.
  struct Share {
    Command command;
    TimeFs slot = 0_fs;
    std::uint32_t count = 0;
    TimeFs issuer_before = 0_fs, slot_before = 0_fs;  // state before the share, restored by give_back()
  };

  // take_turns = false: all commands in the order of arrival. `channel`: of all bursts, or kByAddress.
  void configure(bool take_turns, const AccessUnit& unit, Bandwidth return_bw, std::uint32_t channel);

  bool empty() const { return active_ == 0; }
  TimeFs interval() const { return interval_; }  // distance of slots; shorter after a partial burst
  // The time of the next slot; there must be a command.
  TimeFs next_slot() const { return next().slot; }
  // True when the winner of the slot depends on the state of the pseudo-channels. Then call choose() first, when all
  // bursts before the slot have entered and no other has.
  bool is_contested() const { return next().open > 1 && !chosen_; }
  void choose(const PseudoChannels& channels);
  void forget_choice() {
    if (chosen_) forget_next();
  }
  const Command& next_command() const { return requesters_[next().requester].commands.front(); }

  // A command opens at `open`, in order. Returns the first time at which a slot that was taken could now be another's;
  // kNever when there is none.
  TimeFs add(payload::Transaction& transaction, TimeFs open, std::uint64_t sequence);
  // Slots from the next one on that one command has in a row if nothing but reads enters meanwhile. They are not taken
  // yet. `trial` is room for a copy of the state of the pseudo-channels.
  Share share(const PseudoChannels& channels, PseudoChannels& trial) const;
  // Takes the bursts of a share; the caller may have lowered its count.
  void take(const Share& share);
  // Bursts that were taken and are not issued: those from `first` on, whose slots begin at `slot`. The newest first.
  // `share` is what was taken.
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
    TimeFs slot = -1_fs;         // latest slot that it got; -1: none
    TimeFs issuer_after = 0_fs;  // when the issuer was free after that slot
    SlidingDeque<Command> commands;
  };
  // When a requester joined the end of the turn. At equal times commands open before the burst of a slot is issued.
  struct Joined {
    TimeFs time;
    bool after_slot = false;
    std::uint64_t sequence = 0;
    friend bool operator<(const Joined& a, const Joined& b) {
      if (a.time != b.time) return a.time < b.time;
      return a.after_slot != b.after_slot ? b.after_slot : a.sequence < b.sequence;
    }
  };
  // What decides about the next slot, of each requester: so little that all are looked at for every slot.
  struct Waiting {
    TimeFs open = kNever;  // of its first command; kNever: it has none
    Joined turn;
    std::uint64_t offset = 0;  // of that command in the HBM
    std::uint32_t next = 0;    // its next burst
  };
  struct Next {
    TimeFs slot = kNever;
    std::size_t requester = 0;    // the first in turn, or the chosen one
    TimeFs others_open = kNever;  // earliest command that opens after `slot`; kNever: none
    std::size_t open = 0;         // number of requesters with a command open at `slot`
  };

  // Brings its Waiting up to date: its first command or its latest slot changed.
  void note(const Requester& requester);
  // Further commands open at `open` or later.
  Requester& requester_of(const payload::Transaction& transaction, TimeFs open);
  TimeFs slot_time(const Command& command, std::uint32_t burst) const;
  std::uint32_t left(const Command& command) const { return command.transaction->flits - command.next; }
  const Next& next() const;
  void forget_next() { next_known_ = chosen_ = false; }
  // Calls f(index, waiting) for all that can have the next slot.
  template <typename F>
  void for_each_open(F&& f) const;
  std::size_t channel_of(const PseudoChannels& channels, const Waiting& waiting) const;
  // How long the first in turn may be passed over while its pseudo-channel is taken.
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
  std::size_t active_ = 0;  // requesters with commands
  mutable Next next_;
  mutable bool next_known_ = false;
  bool chosen_ = false;
};

}  // namespace kb::modules
