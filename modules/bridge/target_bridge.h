// A TLM-2.0 base-protocol target socket through which outside models access the machine.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/bridge/access_plan.h"
#include "modules/bridge/address_windows.h"
#include "modules/bridge/bridge_context.h"
#include "modules/bridge/socket_checker.h"
#include "platform/elab/i_request_source.h"

namespace kb::modules {

struct TargetParams {
  NodeId attach;                       // a block that can issue requests: PCIE_EP, PE_DMA, M_CPU
  std::vector<AddressWindow> windows;  // empty: bus addresses are physical addresses
  std::size_t max_outstanding = 64;    // AT requests in flight; further requests wait for END_REQ
  TimeFs accept = 0_fs;                // time from BEGIN_REQ to END_REQ
};

// Converts generic payloads into requests of the machine. A call at time T with delay d is offered to the first wire at
// T + d + max(overhead of the block, 1 fs), exactly like a row of `kernbench traffic` that is issued at T + d. A PE_DMA
// is entered at its fabric side, without overhead and without a DMA channel.
// LT: b_transport() returns when the answer has arrived, with a delay of zero; calls of several threads overlap. AT:
// END_REQ at max(T + d + accept, first time with fewer than max_outstanding requests); BEGIN_RESP at the answer, one
// response at a time, in the order of completion. Data is written to or read from memory at the time of the answer.
// transport_dbg() takes no time; DMI is refused, because it would bypass all contention.
// Waveform signals, in a group with the socket's name at the block: `outstanding` (calls and requests that have not
// ended) and `stalled` (END_REQ is due but withheld, because max_outstanding requests are in flight).
class TargetBridge final : public sc_core::sc_module,
                           public tlm::tlm_fw_transport_if<>,
                           private payload::IInitiator,
                           private elab::IInboundCall,
                           private elab::IOutboundCall,
                           private elab::EventHandler {
 public:
  TargetBridge(const sc_core::sc_module_name& name, const TargetParams& params, const BridgeContext& context);
  ~TargetBridge() override;

  // The socket may stay unbound.
  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND> socket{"socket"};

  std::size_t open_requests() const { return open_; }
  // Number of answered blocking calls that return in this or the next delta cycle.
  std::size_t returning() const { return returning_; }
  // Number of requests without an answer; a request that only waits for END_RESP has its answer.
  std::size_t unanswered() const { return open_ - (responding_ ? 1 : 0); }
  std::uint64_t requests() const { return requests_count_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t refused() const { return refused_; }
  // Successful requests with data, and their total time from the call plus its delay to the answer.
  struct Latency {
    std::uint64_t requests = 0;
    TimeFs sum = 0_fs, longest = 0_fs;

    void add(TimeFs latency) {
      ++requests;
      accumulate(sum, latency);
      longest = longest < latency ? latency : longest;
    }
  };
  const Latency& latency() const { return latency_; }
  void collect_waits(std::vector<elab::WaitInfo>& waits) const;
  // The device has failed: answers all open requests with a generic error and this cause.
  void abandon(const std::string& cause);

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;

 private:
  enum class Style : std::uint8_t { blocking, phases };
  struct Request {
    tlm::tlm_generic_payload* payload = nullptr;  // null: unused slot
    Style style{};
    AccessPlan plan;
    TimeFs entered = 0_fs;
    std::uint64_t parts = 0;  // number of parts in flight
    bool done = false;
    bool orphaned = false;                        // a blocking call whose thread was killed
    std::unique_ptr<sc_core::sc_event> answered;  // for a blocking call
  };
  static constexpr std::uint64_t kNone = UINT64_MAX;

  std::uint64_t open(tlm::tlm_generic_payload& payload, Style style, TimeFs entered);
  void close(std::uint64_t slot);
  void on_inward(TimeFs entered, std::uint64_t slot) override;
  void inject(std::uint64_t slot);
  void on_response(payload::Transaction& transaction) override;
  std::string origin(const payload::Transaction& transaction) const override;
  void complete(std::uint64_t slot);
  void move_data(Request& request);
  void refuse(Request& request, tlm::tlm_response_status status, const std::string& code, const std::string& message);
  tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload, TimeFs at);
  void try_accept();
  void on_event(TimeFs now, std::uint64_t argument) override;
  void on_outward(std::uint64_t argument) override;
  tlm::tlm_sync_enum call_initiator(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void send_end_request(std::uint64_t slot);
  void send_response();
  void end_response_at(TimeFs at);
  void end_response();
  void orphan(std::uint64_t slot);
  void violation(const tlm::tlm_generic_payload& payload, const std::string& what) const;
  void declare_signals();
  void count_accepted(TimeFs now) {
    ++in_flight_;
    show(stalled_signal_, now < accept_at_ ? accept_at_ : now, 0);
  }
  void show(contract::SignalId signal, TimeFs at, std::uint64_t value) {
    if (signal != contract::kNoSignal) observer_->change(signal, at, value);
  }

  TargetParams params_;
  BridgeContext context_;
  AddressWindows windows_;
  SocketChecker checker_;
  elab::IRequestSource& source_;
  std::string initiator_text_;  // name of the initiator for messages
  TimeFs overhead_;             // from the call to the first wire
  std::uint32_t in_port_, out_port_;
  std::deque<Request> requests_;
  std::vector<std::uint64_t> free_;
  std::size_t open_ = 0;             // all requests
  std::size_t returning_ = 0;        // LT: answered calls whose thread has not resumed yet
  std::size_t in_flight_ = 0;        // AT: accepted requests without an answer
  tlm::tlm_generic_payload orphan_;  // replaces the payload of a killed thread
  std::uint64_t accepting_ = kNone;  // AT: the request that waits for END_REQ
  TimeFs accept_at_ = 0_fs;
  bool accept_scheduled_ = false;
  std::uint64_t accept_number_ = 0;  // number of the waiting request, to ignore steps of earlier ones
  std::deque<std::uint64_t> responses_;
  bool ending_ = false;      // END_RESP has come and takes effect later
  bool responding_ = false;  // BEGIN_RESP of responses_.front() was sent
  std::string abandoned_;    // reason of abandon()
  std::uint64_t requests_count_ = 0, bytes_ = 0, refused_ = 0;
  Latency latency_;
  contract::ISignalObserver* observer_ = nullptr;
  contract::SignalId outstanding_signal_ = contract::kNoSignal, stalled_signal_ = contract::kNoSignal;
};

}  // namespace kb::modules
