// What IO_CPU and M_CPU have in common: splitting a request into sub-requests, gathering the answers, answering once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/command/fan_out.h"
#include "modules/fabric/fabric_endpoint.h"
#include "platform/payload/messages.h"

namespace kb::modules {

// Timing: sub-requests are offered to the first wire in branch order at the time of dispatch (the request's arrival +
// overhead_ns); the parent is answered at the time its settling answer has been handled (arrival + overhead_ns).
// State is kept per parent transaction id (C-7) in an ordered map and is released when the last branch has answered,
// whatever the outcome.
class CommandProcessor : public FabricEndpoint {
 public:
  using FabricEndpoint::FabricEndpoint;

  // One line per request that still waits, with the names of those who have not answered (C-IO-10); it stands for
  // the sub-requests, too.
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
  void fan_out(payload::Transaction& parent, const std::string& title, contract::FailurePolicy policy,
               const std::string& noun, std::vector<SubRequest> requests);
  // Answers `parent` with an error now.
  void refuse(payload::Transaction& parent, std::string code, const std::string& message);

  void on_response(payload::Transaction& transaction) final;
  // Hands launches, mappings and memory requests to the functions below. What those throw is refused with its code; a
  // model Error ends the simulation.
  void on_request(payload::Transaction& transaction, TimeFs arrived) final;

  virtual void launch(payload::Transaction& parent, const payload::KernelLaunchMsg& request) = 0;
  virtual void map(payload::Transaction& parent, const payload::TranslationMsg& request) = 0;
  virtual void memory(payload::Transaction& parent, TimeFs arrived);  // refuses, as any other message
  virtual void barrier(payload::Transaction& arrival, const payload::BarrierMsg& message);  // refuses likewise
  virtual void barrier_answered(payload::Transaction& transaction);  // one that this block has sent on
  // A receiver of a launch has answered; `all`: it was the last one.
  virtual void launch_answered(std::uint64_t request, const Branch& branch, bool all);

 private:
  struct Pending {
    payload::Transaction* parent;  // null once answered
    std::string title;
    std::optional<std::uint64_t> launch;  // the host's request, of a launch
    FanOut branches;
  };
  void answer_parent(Pending& pending);

  std::map<std::uint64_t, Pending> pending_;
  std::int64_t requests_ = 0;
  std::int64_t sub_requests_ = 0;
  std::int64_t failures_ = 0;
};

}  // namespace kb::modules
