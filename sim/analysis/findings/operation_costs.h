// Adds up what operations cost while a run goes on, and remembers which PE waited for whose messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "platform/contract/command.h"
#include "platform/contract/i_operation_sink.h"
#include "platform/topology/graph.h"
#include "sim/analysis/findings/message_waits.h"
#include "sim/analysis/findings/operation_cost.h"

namespace kb::sim {

// Stands before another sink and passes everything on. Observes only.
class OperationCosts final : public contract::IOperationSink {
 public:
  explicit OperationCosts(const topology::Graph& graph);
  void pass_on_to(contract::IOperationSink& next) { next_ = &next; }

  void on_command(NodeId component, const contract::Command& command, const contract::ITranslator* translator,
                  TimeFs start, TimeFs end) override;
  void on_stage(NodeId component, const plan::Stage& stage, std::uint64_t composite, std::uint64_t tile, TimeFs start,
                TimeFs end) override;
  void on_message(NodeId component, const MessageCopy& copy, const contract::ITranslator* translator, TimeFs start,
                  TimeFs end) override;
  void on_scratch_write(NodeId component, std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes,
                        TimeFs at) override;
  void on_host_write(NodeId component, const contract::MemoryWrite& write, TimeFs start, TimeFs end) override;
  std::vector<std::byte> kernel_read(const std::vector<Extent>& extents) override;
  std::optional<std::vector<std::byte>> read_if_known(const std::vector<Extent>& extents) override;

  // The operations that took most time, the longest first. Writes of the host do not count.
  std::vector<OperationCost> most_expensive(std::size_t count) const;

  // In the order in which they ended.
  const std::deque<MessageReceive>& receives() const { return receives_; }
  // How long at least one message from `sender` to `receiver` waited within [begin, end) for a free slot.
  TimeFs waited_for_slots(const PeCoord& sender, const PeCoord& receiver, TimeFs begin, TimeFs end) const;
  // How long `pe` waited within [begin, end) in a receive, in a send for a free slot, or at a barrier.
  TimeFs waited(const PeCoord& pe, TimeFs begin, TimeFs end) const;
  // Adds the SIPs from which those in `sips` received messages within [begin, end), also through others.
  void add_senders(std::set<SipId>& sips, TimeFs begin, TimeFs end) const;

 private:
  // A kind of cost is one of commands with its operation or dtype, a stage, or a step of messages.
  static constexpr std::size_t kDetails = 64;
  static constexpr std::size_t kStages = (static_cast<std::size_t>(contract::CommandKind::barrier) + 1) * kDetails;
  static constexpr std::size_t kMessages = kStages + plan::kStageTypes;
  static constexpr std::size_t kCosts = kMessages + 3;
  static_assert(kMathOps <= kDetails);
  // A send, or, without slot, a barrier.
  struct Wait {
    NodeId at;
    std::uint64_t slot = 0;
    TimeFs start = 0_fs, end = 0_fs;
  };
  static constexpr std::size_t kMaxWaits = std::size_t{3} << 18;  // of each, 57 MB in all

  template <typename F>
  OperationCost& cost_of(std::size_t key, F&& name);
  void add(OperationCost& cost, NodeId component, TimeFs start, TimeFs end, TimeFs needed);
  TimeFs transfer_time(NodeId node, bool into, std::uint64_t bytes);
  void note_message(NodeId component, MessageStep step, std::uint64_t address, TimeFs start, TimeFs end);

  const topology::Graph& graph_;
  contract::IOperationSink* next_ = nullptr;
  std::array<std::unique_ptr<OperationCost>, kCosts> costs_;
  std::vector<Bandwidth> read_bw_, write_bw_;  // by node; none: not yet asked for
  std::deque<MessageReceive> receives_;        // those that took time
  struct Slot {
    NodeId sender, receiver;
    TimeFs sent = 0_fs, arrived = 0_fs;  // of the latest message
  };
  std::unordered_map<std::uint64_t, Slot> slots_;  // of rings, by address
  std::deque<Wait> waits_;
};

}  // namespace kb::sim
