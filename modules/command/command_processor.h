// Common part of IO_CPU and M_CPU: splits a request into sub-requests, gathers the answers and answers once; handles
// the barriers of kernels.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/command/barrier_collector.h"
#include "modules/command/fan_out.h"
#include "modules/fabric/fabric_endpoint.h"
#include "platform/payload/messages.h"

namespace kb::modules {

// Timing: sub-requests are offered to the first wire in branch order at the time of dispatch (the request's arrival +
// overhead_ns). The parent is answered when its settling answer has been handled (arrival + overhead_ns). State is kept
// per parent transaction id (C-7) in an ordered map and is released when the last branch has answered, regardless of
// the outcome. Arrivals at a kernel barrier are held until the last one has come, and are then answered in the order of
// arrival; they are answered with BARRIER_ERROR when a kernel of the launch has ended before.
class CommandProcessor : public FabricEndpoint {
 public:
  // `below` is the term in messages for the receivers of launches, which arrive at barriers: "PEs".
  CommandProcessor(const sc_core::sc_module_name& name, NodeId node, TimeFs overhead, elab::BlockContext& context,
                   std::string below);

  // One line per waiting request, with the receivers that have not answered (C-IO-10); it includes the sub-requests.
  // One line per barrier.
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;

  // Number of requests with state.
  std::size_t pending() const { return pending_.size(); }

 protected:
  // Receiver and contents of a sub-request. Plain values, so that a failed lookup leaves no transaction behind.
  struct SubRequest {
    const payload::FabricRoute* route;
    std::shared_ptr<const payload::Message> message;  // null: part of the parent's memory request
    std::uint64_t address;                            // 0 for messages
    std::uint64_t hbm_offset;
    std::uint64_t bytes;  // 0 for commands (C-IO-5, C-MCPU-10)
    Branch branch;
  };

  const payload::FabricRoute* command_route(NodeId target);
  // Sends the sub-requests of `parent` now, in order; 1 to 65536. `noun` is the term for the receivers, if they are not
  // those below.
  void fan_out(payload::Transaction& parent, const std::string& title, contract::FailurePolicy policy,
               std::vector<SubRequest> requests, const std::string& noun = "");
  // Answers `parent` with an error now.
  void refuse(payload::Transaction& parent, std::string code, const std::string& message);
  // Holds the arrival of `name` at a barrier; true when all `members` have arrived. Then the barrier is opened, or one
  // common arrival is sent to the block from which the launch came, and its answer is passed on to the members.
  bool all_there(payload::Transaction& arrival, const payload::BarrierMsg& message, std::size_t members,
                 std::string name);
  // `reply` goes to each of those who wait.
  void open_barrier(const payload::BarrierMsg& message, const std::shared_ptr<const payload::Message>& reply = nullptr);
  TimeFs barrier_reached(std::uint64_t request) const { return barriers_.reached(request); }
  void send_on(const payload::BarrierMsg& arrival);

  void on_response(payload::Transaction& transaction) final;
  // Dispatches launches, mappings, barriers and memory requests to the functions below. An exception of these refuses
  // the request with its code; a model Error ends the simulation.
  void on_request(payload::Transaction& transaction, TimeFs arrived) final;

  virtual void launch(payload::Transaction& parent, const payload::KernelLaunchMsg& request) = 0;
  virtual void map(payload::Transaction& parent, const payload::TranslationMsg& request) = 0;
  virtual void barrier(payload::Transaction& arrival, const payload::BarrierMsg& message) = 0;
  virtual void memory(payload::Transaction& parent, TimeFs arrived);  // default: refuses the request

 private:
  struct Launch {
    std::uint64_t request;  // request number of the host
    NodeId sender;
    account::PlaceId place;
  };
  struct Pending {
    payload::Transaction* parent;  // null when already answered
    std::string title;
    std::optional<Launch> launch;
    FanOut branches;
  };
  void serve_message(payload::Transaction& transaction, TimeFs arrived);
  void answer_parent(Pending& pending);

  std::string below_;
  std::map<std::uint64_t, Pending> pending_;
  BarrierCollector barriers_;
  std::int64_t requests_ = 0;
  std::int64_t sub_requests_ = 0;
  std::int64_t failures_ = 0;
};

}  // namespace kb::modules
