#pragma once

#include <array>
#include <cstdint>

#include "modules/fabric/sliding_deque.h"
#include "modules/pe/pe_links.h"
#include "modules/pe/probe.h"
#include "modules/pe/tcm_port.h"
#include "platform/params/pe_tcm_params.h"

namespace kb::modules {

// A task's request to PE_TCM. The requester sets the fields before it sends the task; the payload owns the extension
// and reuses it.
struct TcmRequest final : tlm::tlm_extension<TcmRequest> {
  TcmDirection direction = TcmDirection::read;
  std::uint64_t nbytes = 0;

  static TcmRequest& of(CommandTask& task);
  tlm::tlm_extension_base* clone() const override { return new TcmRequest(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const TcmRequest&>(other); }
};

// Scratchpad of a PE (C-TCM-1 .. C-TCM-6).
// Models: one read and one write port, each with capacity 1. Requests of one direction are served in request order, and
// the two directions are independent. It stores no data, and the address map checks the capacity. PE_DMA makes direct
// calls (ITcmPort), PE_FETCH_STORE sends tasks; both share one queue per direction.
// Timing: the port is occupied for nbytes / read_bw_gbs (write_bw_gbs) from max(arrival, port free). A request of 0
// bytes waits for its turn and takes no time. `overhead_ns` is not charged: extra cost belongs to PE_FETCH_STORE
// (C-TCM-6). A request that is neither read nor write, or a task without a TcmRequest, is a model Error (C-TCM-5).
class PeTcm final : public PeBlock, public ITcmPort, private elab::EventHandler {
 public:
  PeTcm(const sc_core::sc_module_name& name, NodeId node, const params::PeTcmParams& params, PeContext& pe,
        elab::BlockContext& context);
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;

  TimeFs occupancy(TcmDirection direction, std::uint64_t nbytes) const override;
  void access(TcmDirection direction, std::uint64_t nbytes, TimeFs time, account::PlaceId place, IUser& user,
              std::uint64_t cookie) override;

 private:
  struct Waiting {
    CommandTask* task = nullptr;
    IUser* user = nullptr;  // caller of an access without a task; null for a task
    std::uint64_t cookie = 0;
    std::uint64_t nbytes = 0;
    TimeFs time = 0_fs;
    TimeFs since = 0_fs;
  };
  struct Port {
    Port(PeTcm& tcm, const char* name, const char* resource, Bandwidth bandwidth);
    Bandwidth bw;
    Waiting serving;
    bool busy_now = false;
    SlidingDeque<Waiting> queue;
    Probe busy_probe;
    resource::Resource& by_dma;  // what PE_DMA has of it
    TimeFs free_at = 0_fs;       // after all requests
    std::int64_t requests = 0;
    std::int64_t bytes = 0;
    TimeFs busy = 0_fs;
    TimeFs wait = 0_fs;
  };

  void on_task(CommandTask& task) override;
  void on_event(TimeFs now, std::uint64_t port) override;
  void enqueue(std::size_t port, const Waiting& waiting);
  void serve(std::uint64_t port);

  std::array<Port, 2> ports_;  // indexed by TcmDirection
};

}  // namespace kb::modules
