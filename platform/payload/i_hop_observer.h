// Interface between the wires of the fabric and observers that trace transactions.
#pragma once

#include <cstdint>

#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/payload/transaction.h"

namespace kb::payload {

// Passage of one leg of a transaction over one wire.
struct Hop {
  std::uint64_t transaction = 0;
  NodeId from, to;
  Leg leg = Leg::request;
  std::uint16_t index = 0;     // index of `from` in the route of the request
  std::uint32_t flits = 0;     // 0 for a message without data
  TimeFs ready = 0_fs;         // when the first flit could leave
  TimeFs start = 0_fs;         // when the first flit was put on the wire
  TimeFs end = 0_fs;           // when the last flit has left the wire
  TimeFs arrived = 0_fs;       // when the last flit has arrived at `to`
  TimeFs longest_wait = 0_fs;  // longest wait of a flit between ready and start
  // The last flit, or the message: when it could leave, when it was put on the wire, and what it waited for between.
  TimeFs last_ready = 0_fs, last_start = 0_fs;
  TimeFs behind_own = 0_fs, behind_others = 0_fs;  // behind flits of its leg, of other transactions
};

// A header in the serial decoder of a node.
struct Decoding {
  std::uint64_t transaction = 0;
  Leg leg = Leg::request;
  NodeId node;
  TimeFs begin = 0_fs, end = 0_fs;
};

class IHopObserver {
 public:
  virtual ~IHopObserver() = default;
  // Whether the hops of this transaction are traced; called on every wire.
  virtual bool follows(const Transaction& transaction) = 0;
  // Called when the hop is final; the transaction may have ended.
  virtual void passed(const Hop& hop) = 0;
  // Called for the header of every leg, also of those that are not traced, in the order of a node's decoder.
  virtual void decoded(const Decoding& /*decoding*/) {}
};

}  // namespace kb::payload
