// Initiators for the tests of embedding; they use only TLM-2.0 and no code of kernbench.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

namespace kb::test {

// One transfer and its outcome.
struct Transfer {
  sc_core::sc_time at;  // requested begin
  bool write = false;
  std::uint64_t address = 0;
  std::vector<unsigned char> data;
  std::vector<unsigned char> enables = {};
  unsigned streaming_width = 0;  // 0: the length
  std::size_t id = 0;            // chosen by the test
  sc_core::sc_time completed;
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  std::string cause;  // cause of an error (LtInitiator only)
};

void fill_payload(Transfer& transfer, tlm::tlm_generic_payload& payload);

// Has one thread per transfer; calls are made `early` before their time, with that delay.
class LtInitiator final : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
 public:
  LtInitiator(const sc_core::sc_module_name& name, std::vector<Transfer> transfers, sc_core::sc_time early = {});
  tlm::tlm_initiator_socket<32> socket{"socket"};
  const std::vector<Transfer>& transfers() const { return transfers_; }

 private:
  void start();
  void transfer(std::size_t index);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  std::vector<Transfer> transfers_;
  sc_core::sc_time early_;
};

// Issues one request after the other with phases, in the order of their times. Ends responses in three ways, in turn:
// immediately (TLM_COMPLETED), with TLM_UPDATED, and with a later END_RESP.
class AtInitiator final : public sc_core::sc_module, public tlm::tlm_bw_transport_if<>, public tlm::tlm_mm_interface {
 public:
  AtInitiator(const sc_core::sc_module_name& name, std::vector<Transfer> transfers, sc_core::sc_time early = {},
              bool vary_responses = false);
  tlm::tlm_initiator_socket<32> socket{"socket"};
  const std::vector<Transfer>& transfers() const { return transfers_; }

 private:
  void run();
  void end_responses();
  void free(tlm::tlm_generic_payload* payload) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  std::vector<Transfer> transfers_;
  sc_core::sc_time early_;
  bool vary_responses_;
  sc_core::sc_event accepted_, answered_;
  bool accepting_ = false;
  std::size_t open_ = 0;
  std::uint64_t responses_ = 0;
  std::deque<tlm::tlm_generic_payload*> to_end_;
  std::deque<tlm::tlm_generic_payload> payloads_;
};

}  // namespace kb::test
