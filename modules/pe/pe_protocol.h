// The protocol between the blocks of one PE: its own traits class, so that a PE-internal socket cannot be bound to a
// fabric or base-protocol socket by mistake, the generic payload with the extension CommandTask, and two calls per hop.
//
//   requester --BEGIN_REQ--> server     (forward path)    the request is in the server's input queue when the call
//                                                         returns
//   server --BEGIN_RESP--> requester    (backward path)   the server has finished, successfully or not
//
// A server that is not the last of the task's stages gives the task to the next one with a BEGIN_REQ of its own; the
// last one answers the requester (P-29, P-30).
//
// BEGIN_REQ is answered with TLM_UPDATED and END_REQ, BEGIN_RESP with TLM_COMPLETED. Input queues are unbounded (P-34).
// All calls happen at their time: the delay argument is zero and a hop takes no time (P-2). A server may answer within
// the call that brought the request.
#pragma once

#include <tlm>

namespace kb::modules {

struct PeProtocol {
  using tlm_payload_type = tlm::tlm_generic_payload;
  using tlm_phase_type = tlm::tlm_phase;
};

}  // namespace kb::modules
