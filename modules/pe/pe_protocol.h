// The protocol between the blocks of one PE: its own traits class, so that a PE-internal socket cannot be bound to a
// fabric or base-protocol socket by mistake, the generic payload with the extension CommandTask, and two calls per hop.
//
//   requester --BEGIN_REQ--> server     (forward path)    TLM_UPDATED and END_REQ: the request is in the server's input
//                                                         queue when the call returns. TLM_ACCEPTED: the queue is full;
//   server --END_REQ--> requester       (backward path)   follows when there was room (P-34)
//   server --BEGIN_RESP--> requester    (backward path)   the server has finished, successfully or not
//
// A server that is not the last of the task's stages gives the task to the next one with a BEGIN_REQ of its own; the
// last one answers the requester (P-29, P-30).
//
// BEGIN_RESP is answered with TLM_COMPLETED. Requests of one server that wait for room move up in the order in which
// they came, each as soon as its own queue has a place.
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
