// The seam between the wires of the fabric and who follows transactions over them.
#pragma once

#include <cstdint>

#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/payload/transaction.h"

namespace kb::payload {

// How one leg of a transaction passed one wire.
struct Hop {
  std::uint64_t transaction = 0;
  NodeId from, to;
  Leg leg = Leg::request;
  std::uint16_t index = 0;     // of `from` in the route of the request
  std::uint32_t flits = 0;     // 0: a message without data
  TimeFs ready = 0_fs;         // the first flit could leave
  TimeFs start = 0_fs;         // it was put on the wire
  TimeFs end = 0_fs;           // the last flit is through
  TimeFs arrived = 0_fs;       // and at `to`
  TimeFs longest_wait = 0_fs;  // of a flit, between ready and start
};

class IHopObserver {
 public:
  virtual ~IHopObserver() = default;
  // Whether the hops of this transaction, which is under way, are wanted. Asked on every wire.
  virtual bool follows(const Transaction& transaction) = 0;
  // When nothing of it can change any more; the transaction may have ended.
  virtual void passed(const Hop& hop) = 0;
};

}  // namespace kb::payload
