// What IO_CPU and M_CPU have in common: splitting a request into sub-requests, gathering the answers, answering once;
// and the barriers of kernels.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/command/barrier_gate.h"
#include "modules/command/fan_out.h"
#include "modules/fabric/fabric_endpoint.h"
#include "platform/payload/messages.h"

namespace kb::modules {

// Timing: sub-requests are offered to the first wire in branch order at the time of dispatch (the request's arrival +
// overhead_ns); the parent is answered at the time its settling answer has been handled (arrival + overhead_ns).
// State is kept per parent transaction id (C-7) in an ordered map and is released when the last branch has answered,
// whatever the outcome. Barriers of kernels: arrivals are held until the last one has come, and answered then, in the
// order of their arrival; with BARRIER_ERROR when a kernel of the launch ends before.
class CommandProcessor : public FabricEndpoint {
 public:
  // `below`: what messages call the receivers of launches, from which arrivals at barriers come: "PEs".
  CommandProcessor(const sc_core::sc_module_name& name, NodeId node, TimeFs overhead, elab::BlockContext& context,
                   std::string below);

  // One line per request that still waits, with the names of those who have not answered (C-IO-10); it stands for
  // the sub-requests, too. One line per barrier.
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;

  // Requests whose state is still held.
  std::size_t pending() const { return pending_.size(); }

 protected:
  // What to send and to whom: plain values, so that a failed lookup leaves no transaction behind.
  struct SubRequest {
    const payload::FabricRoute* route;
    std::shared_ptr<const payload::Message> message;  // null: part of the parent's memory request
    std::uint64_t address;                            // memory requests only, otherwise 0
    std::uint64_t hbm_offset;
    std::uint64_t bytes;  // 0 for commands (C-IO-5, C-MCPU-10)
    Branch branch;
  };

  const payload::FabricRoute* command_route(NodeId target);
  // Sends the sub-requests of `parent` now, in order; at most 65536, not empty.
  // `noun` names the receivers in texts, if they are others than those below.
  void fan_out(payload::Transaction& parent, const std::string& title, contract::FailurePolicy policy,
               std::vector<SubRequest> requests, const std::string& noun = "");
  // Answers `parent` with an error now.
  void refuse(payload::Transaction& parent, std::string code, const std::string& message);
  // Holds an arrival of `name` at a barrier; true when all `members` are there. Then the barrier is opened, or their
  // common arrival goes to the block that the launch came from, whose answer is theirs.
  bool all_there(payload::Transaction& arrival, const payload::BarrierMsg& message, std::size_t members,
                 std::string name);
  void open_barrier(const payload::BarrierMsg& message);
  void send_on(const payload::BarrierMsg& arrival);

  void on_response(payload::Transaction& transaction) final;
  // Hands launches, mappings, barriers and memory requests to the functions below. What those throw is refused with its
  // code; a model Error ends the simulation.
  void on_request(payload::Transaction& transaction, TimeFs arrived) final;

  virtual void launch(payload::Transaction& parent, const payload::KernelLaunchMsg& request) = 0;
  virtual void map(payload::Transaction& parent, const payload::TranslationMsg& request) = 0;
  virtual void barrier(payload::Transaction& arrival, const payload::BarrierMsg& message) = 0;
  virtual void memory(payload::Transaction& parent, TimeFs arrived);  // refuses, as any other message

 private:
  struct Launch {
    std::uint64_t request;  // the host's
    NodeId sender;
  };
  struct Pending {
    payload::Transaction* parent;  // null once answered
    std::string title;
    std::optional<Launch> launch;
    FanOut branches;
  };
  void serve_message(payload::Transaction& transaction, TimeFs arrived);
  void answer_parent(Pending& pending);

  std::string below_;
  std::map<std::uint64_t, Pending> pending_;
  BarrierGate barriers_;
  std::int64_t requests_ = 0;
  std::int64_t sub_requests_ = 0;
  std::int64_t failures_ = 0;
};

}  // namespace kb::modules
