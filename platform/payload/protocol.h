// The fabric's TLM-2.0 protocol. It has its own traits class, so that a fabric socket cannot be bound to a
// base-protocol socket by mistake. The payload is the generic payload; two phases extend the four AT timing points:
//
//   request leg   A --BEGIN_REQ, SEGMENT*, SHORTEN*--> B   (forward path)    B --END_REQ--> A   (backward path)
//   response leg  B --BEGIN_RESP, SEGMENT*, SHORTEN*--> A  (backward path)   A --END_RESP--> B  (forward path)
//
// BEGIN_* carries the first segment of a leg, SEGMENT each further one. The segment is in the transaction extension and
// holds absolute times, so that the transport's delay argument is always zero. END_* is sent when the receiver has the
// last flit. SHORTEN rolls back the announced flits from index `segment.first` on, before the first of them arrives:
// `count` flits, with arrivals from `time` to `time + spacing`, so that the receiver need not search for them. A
// zero-byte leg is a single segment with count 1; its BEGIN is answered with TLM_COMPLETED and has no END phase.
#pragma once

#include <tlm>

namespace kb::payload {

struct FabricProtocol {
  using tlm_payload_type = tlm::tlm_generic_payload;
  using tlm_phase_type = tlm::tlm_phase;
};

TLM_DECLARE_EXTENDED_PHASE(SEGMENT);  // further flits of a leg
TLM_DECLARE_EXTENDED_PHASE(SHORTEN);  // rolls back announced flits

}  // namespace kb::payload
