// Sums up the costs of operations during a run, and records the waits for messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platform/contract/command.h"
#include "platform/contract/i_operation_sink.h"
#include "platform/topology/graph.h"
#include "sim/analysis/findings/message_waits.h"
#include "sim/analysis/findings/operation_cost.h"

namespace kb::sim {

// An operation sink that forwards everything to another sink. It only observes.
class OperationCosts final : public contract::IOperationSink {
 public:
  explicit OperationCosts(const topology::Graph& graph);
  void pass_on_to(contract::IOperationSink& next) { next_ = &next; }

  void on_command(NodeId component, const contract::Command& command, const contract::ITranslator* translator,
                  TimeFs start, TimeFs end) override;
  void on_stage(NodeId component, const TileStage& tile, TimeFs start, TimeFs end) override;
  void on_message(NodeId component, const MessageCopy& copy, const contract::ITranslator* translator, TimeFs start,
                  TimeFs end) override;
  void on_scratch_write(NodeId component, std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes,
                        TimeFs at) override;
  void on_host_write(NodeId component, const contract::MemoryWrite& write, TimeFs start, TimeFs end) override;
  std::vector<std::byte> kernel_read(const std::vector<Extent>& extents) override;
  std::optional<std::vector<std::byte>> read_if_known(const std::vector<Extent>& extents) override;

  static constexpr std::size_t kAll = std::size_t{1} << 20;
  // The operations with the largest total time, in descending order. Host writes are not included.
  std::vector<OperationCost> most_expensive(std::size_t count) const;

  // The latest receives, in the order of their ends; at most kMaxWaits, as of the other waits.
  const std::deque<MessageReceive>& receives() const { return receives_; }
  const std::deque<SlotWait>& slot_waits() const { return slot_waits_; }
  const std::deque<BarrierWait>& barrier_waits() const { return barrier_waits_; }
  // Waits that ended before are not kept.
  TimeFs complete_since() const { return complete_since_; }
  // Time within [begin, end) in which at least one message from `sender` to `receiver` waited for a free slot.
  TimeFs waited_for_slots(const PeCoord& sender, const PeCoord& receiver, TimeFs begin, TimeFs end) const;
  // Time within [begin, end) in which `pe` waited in a receive, in a send for a free slot, or at a barrier.
  TimeFs waited(const PeCoord& pe, TimeFs begin, TimeFs end) const;
  // Adds the SIPs from which SIPs in `sips` received messages within [begin, end), also indirectly.
  void add_senders(std::set<SipId>& sips, TimeFs begin, TimeFs end) const;
  // Size of the largest message from `sender` to `receiver`, and whether such messages fill their slots, so that larger
  // ones need larger slots; that is not known of a queue with one slot.
  std::uint64_t largest_message(const PeCoord& sender, const PeCoord& receiver) const;
  bool fill_slots(const PeCoord& sender, const PeCoord& receiver) const;

 private:
  // Kinds are: commands by operation or dtype, stages, and steps of messages; apart from these, commands of plug-ins.
  static constexpr std::size_t kStages = contract::kOperationNumbers;
  static constexpr std::size_t kMessages = kStages + plan::kStageTypes;
  static constexpr std::size_t kCosts = kMessages + 3;
  static constexpr std::size_t kMaxWaits = std::size_t{1} << 20;  // per list, 100 MB in total

  template <typename F>
  OperationCost& cost_of(std::size_t key, F&& name);
  OperationCost& cost_of(const contract::Command& command);
  void add(OperationCost& cost, NodeId component, TimeFs start, TimeFs end, TimeFs needed);
  TimeFs transfer_time(NodeId node, bool into, std::uint64_t bytes);
  void note_message(NodeId component, MessageStep step, const Extent& at_slot, TimeFs start, TimeFs end);
  template <typename Wait>
  void keep(std::deque<Wait>& waits, Wait wait);

  struct Slot {
    NodeId sender, receiver;
    TimeFs sent = 0_fs, arrived = 0_fs;  // of the latest message
    std::uint64_t bytes = 0;             // of the largest one
  };
  template <typename F>
  void for_each_slot(const PeCoord& sender, const PeCoord& receiver, F&& f) const;

  const topology::Graph& graph_;
  contract::IOperationSink* next_ = nullptr;
  std::array<std::unique_ptr<OperationCost>, kCosts> costs_;
  std::deque<std::pair<const engine::CommandRow*, OperationCost>> of_plugins_;
  std::vector<Bandwidth> read_bw_, write_bw_;  // per node; no value: not computed yet
  std::deque<MessageReceive> receives_;
  std::unordered_map<std::uint64_t, Slot> slots_;  // ring slots by address
  std::deque<SlotWait> slot_waits_;
  std::deque<BarrierWait> barrier_waits_;
  TimeFs complete_since_ = 0_fs;
};

}  // namespace kb::sim
