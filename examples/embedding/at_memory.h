// An approximately timed memory, like those of DRAM simulators: it accepts one request at a time, serves several
// concurrently, and responds when each is done.
#pragma once

#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_target_socket.h>

#include <systemc>
#include <tlm>

class AtMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<AtMemory> socket{"socket"};

  // A request is accepted `accept` after its BEGIN_REQ, and answered `latency` later.
  AtMemory(const sc_core::sc_module_name& name, sc_core::sc_time accept, sc_core::sc_time latency)
      : sc_core::sc_module(name), accept_(accept), latency_(latency), taken_("taken"), ready_("ready") {
    SC_HAS_PROCESS(AtMemory);
    socket.register_nb_transport_fw(this, &AtMemory::forward);
    SC_METHOD(take);
    sensitive << taken_.get_event();
    dont_initialize();
    SC_METHOD(answer);
    sensitive << ready_.get_event() << answered_;
    dont_initialize();
  }

  int requests() const { return requests_; }

 private:
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
      payload.acquire();
      ++requests_;
      taken_.notify(payload, delay + accept_);
    } else if (phase == tlm::END_RESP) {
      busy_ = false;
      answered_.notify(sc_core::SC_ZERO_TIME);
      payload.release();
      return tlm::TLM_COMPLETED;
    }
    return tlm::TLM_ACCEPTED;
  }

  void take() {
    while (tlm::tlm_generic_payload* const payload = taken_.get_next_transaction()) {
      ready_.notify(*payload, latency_);
      tlm::tlm_phase phase = tlm::END_REQ;
      sc_core::sc_time delay;
      socket->nb_transport_bw(*payload, phase, delay);
    }
  }

  void answer() {
    while (!busy_) {
      tlm::tlm_generic_payload* const payload = ready_.get_next_transaction();
      if (payload == nullptr) return;
      payload->set_response_status(tlm::TLM_OK_RESPONSE);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay;
      const tlm::tlm_sync_enum status = socket->nb_transport_bw(*payload, phase, delay);
      busy_ = status == tlm::TLM_ACCEPTED;  // END_RESP comes later
      if (!busy_) payload->release();
    }
  }

  sc_core::sc_time accept_, latency_;
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> taken_, ready_;
  sc_core::sc_event answered_;
  bool busy_ = false;
  int requests_ = 0;
};
