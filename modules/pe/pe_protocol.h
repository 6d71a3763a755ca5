// The protocol between the blocks of one PE. It has its own traits class, so that a PE-internal socket cannot be bound
// to a fabric or base-protocol socket by mistake. The payload is the generic payload with the extension CommandTask; a
// hop takes two calls:
//
//   requester --BEGIN_REQ--> server     (forward path)    TLM_UPDATED and END_REQ: the request is in the server's input
//                                                         queue when the call returns. TLM_ACCEPTED: the queue is full;
//   server --END_REQ--> requester       (backward path)   follows when there was room (P-34)
//   server --BEGIN_RESP--> requester    (backward path)   the server has finished, successfully or not
//
// A server that does not have the last stage of the task sends the task to the next server with its own BEGIN_REQ; the
// last server answers the requester (P-29, P-30).
//
// BEGIN_RESP is answered with TLM_COMPLETED. Stalled requests to one server move up in arrival order, each as soon as
// its own queue has a place. All calls happen at their simulated time: the delay argument is zero and a hop takes no
// time (P-2). A server may answer within the call that brought the request.
// the call that brought the request.
#pragma once

#include <tlm>

namespace kb::modules {

struct PeProtocol {
  using tlm_payload_type = tlm::tlm_generic_payload;
  using tlm_phase_type = tlm::tlm_phase;
};

}  // namespace kb::modules
