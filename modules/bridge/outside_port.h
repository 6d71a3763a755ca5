// A TLM-2.0 initiator socket for an external memory.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

#include "modules/bridge/outside_models.h"
#include "modules/bridge/socket_checker.h"
#include "modules/fabric/sliding_deque.h"
#include "platform/elab/block.h"

namespace kb::modules {

// One access to the external memory; it is aligned and its size is a power of two.
struct OutsideAccess {
  bool write = false;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint64_t tag = 0;  // private to the user
  account::PlaceId place;
  TimeFs pushed = 0_fs;  // given to the port
  TimeFs issued = 0_fs;  // BEGIN_REQ, or the call of b_transport()
};

class IOutsideUser {
 public:
  // The memory has accepted (END_REQ) or answered the access. Both are called 1 fs after the call of the memory.
  virtual void on_accepted(const OutsideAccess& access) = 0;
  virtual void on_answered(const OutsideAccess& access, tlm::tlm_response_status status) = 0;

 protected:
  ~IOutsideUser() = default;
};

struct OutsidePortParams {
  std::string socket;                               // name by which the device finds the socket
  std::size_t max_reads = 1024, max_writes = 1024;  // maximum number of unanswered accesses
  bool phases = true;                               // true: AT, false: LT
  bool early_end = false;                           // BEGIN_RESP returns TLM_COMPLETED, without a later END_RESP
  // Timing only: writes have all-zero byte enables and the current contents, so that the memory's contents do not
  // change.
  bool keeps_contents = false;
};

// Issues accesses in the given order, each BEGIN_REQ at the time of the previous END_REQ, so that a memory that delays
// END_REQ stalls only this port. Answers come in any order. BEGIN_RESP is accepted, and END_RESP is sent on the forward
// path at the time of BEGIN_RESP plus its delay, in a later delta cycle; every memory supports this. With `early_end`,
// BEGIN_RESP completes the transaction. LT: one b_transport() after the other; its delay is the time of the answer, and
// a memory that waits inside the call serves one access at a time.
class OutsidePort final : public sc_core::sc_module,
                          public tlm::tlm_bw_transport_if<>,
                          public tlm::tlm_mm_interface,
                          private elab::IOutboundCall,
                          private elab::IInboundCall {
 public:
  OutsidePort(const sc_core::sc_module_name& name, const OutsidePortParams& params, const elab::Block& owner,
              IOutsideUser& user, OutsideModels& outside, elab::BlockContext& context);
  ~OutsidePort() override;

  using Socket = tlm::tlm_initiator_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  Socket socket{"socket"};

  // Must be called at the end of elaboration. Configuration Error when the socket is unbound.
  void attach();
  void push(OutsideAccess access);
  // Calls transport_dbg(). Program Error MEMORY_ERROR when the memory does not serve all bytes.
  void debug(tlm::tlm_command command, std::uint64_t address, unsigned char* bytes, std::uint64_t nbytes);

  std::uint64_t accesses() const { return accesses_; }
  TimeFs stalled() const;                                // total time in which accesses waited and none could be issued
  std::size_t waiting() const { return queue_.size(); }  // number of accesses that are not issued yet
  void collect_waits(std::vector<elab::WaitInfo>& waits) const;

 private:
  enum class State : std::uint8_t { free, requesting, accepted, answered };
  struct Slot {
    tlm::tlm_generic_payload* payload = nullptr;
    OutsideAccess access;
    std::uint64_t ticket = 0;  // identifies this use of the slot
    State state = State::free;
    bool taken = false, responding = false;  // END_REQ or BEGIN_RESP has come; its delay may still be running
    bool passed = false;                     // the next access may be issued
    TimeFs made = 0_fs;
    std::vector<unsigned char> bytes;
  };
  enum Event : std::uint64_t { kAccepted = 0, kAnswered = 1, kEvents = 2 };

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  void free(tlm::tlm_generic_payload* payload) override;
  void on_outward(std::uint64_t argument) override;
  void on_inward(TimeFs entered, std::uint64_t argument) override;
  void run_blocking();
  void serve_blocking();
  bool has_room(const OutsideAccess& access) const;
  void pump();
  void update_stall();
  void disable_write(Slot& slot);
  std::uint64_t debug_served(tlm::tlm_command command, std::uint64_t address, unsigned char* bytes,
                             std::uint64_t nbytes);
  std::uint64_t take_slot(const OutsideAccess& access);
  void begin_request();
  void take(std::uint64_t slot, const sc_core::sc_time& delay);
  void end_request(std::uint64_t ticket);
  Slot* find(std::uint64_t ticket);
  void end_response(std::uint64_t slot, sc_core::sc_time delay);
  void respond(std::uint64_t slot, const sc_core::sc_time& delay);
  void post(Event event, std::uint64_t slot, const sc_core::sc_time& delay);
  void problem(const tlm::tlm_generic_payload& payload, const std::string& what) const;

  OutsidePortParams params_;
  const elab::Block& owner_;
  IOutsideUser& user_;
  OutsideModels& outside_;
  elab::EventScheduler& scheduler_;
  std::string memory_text_;  // name of the memory for messages
  SocketChecker checker_{"", nullptr};
  std::uint32_t in_port_ = 0, out_port_ = 0;
  SlidingDeque<OutsideAccess> queue_;
  std::deque<Slot> slots_;
  std::deque<tlm::tlm_generic_payload> payloads_;                               // payloads of the slots
  std::unordered_map<const tlm::tlm_generic_payload*, std::uint64_t> slot_of_;  // never iterated
  std::vector<std::uint64_t> free_;
  std::size_t reads_ = 0, writes_ = 0;  // unanswered accesses
  bool requesting_ = false;             // a BEGIN_REQ is waiting for END_REQ, or is about to be sent
  sc_core::sc_event work_;              // wakes the blocking thread
  std::uint64_t accesses_ = 0;
  TimeFs stalled_ = 0_fs, stalled_since_ = kNever;
  contract::SignalId stalled_signal_ = contract::kNoSignal, open_signal_ = contract::kNoSignal;
  contract::ISignalObserver* observer_ = nullptr;
};

}  // namespace kb::modules
