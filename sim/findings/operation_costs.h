// Adds up what operations cost while a run goes on, and remembers which PE waited for whose messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "platform/contract/i_operation_sink.h"
#include "platform/topology/graph.h"
#include "sim/findings/message_waits.h"
#include "sim/findings/operation_cost.h"

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
  void on_scratch_write(NodeId component, std::uint64_t pa, std::vector<std::byte> bytes, TimeFs at) override;
  void on_host_write(NodeId component, const contract::MemoryWrite& write, TimeFs start, TimeFs end) override;
  std::vector<std::byte> kernel_read(const std::vector<Extent>& extents) override;
  bool has_contents() const override { return next_->has_contents(); }

  // By their time, the largest first. Writes of the host are none of them.
  std::vector<OperationCost> most_expensive(std::size_t count) const;

  // In the order in which they ended.
  const std::vector<MessageReceive>& receives() const { return receives_; }
  // How long messages from `sender` to `receiver` waited within [begin, end) for a free slot.
  TimeFs waited_for_slots(const PeCoord& sender, const PeCoord& receiver, TimeFs begin, TimeFs end) const;
  // How long `pe` waited within [begin, end) in receives, in sends for a free slot, and at barriers. What overlaps
  // counts each time.
  TimeFs waited(const PeCoord& pe, TimeFs begin, TimeFs end) const;
  // Adds the SIPs from which those in `sips` received messages within [begin, end), also through others.
  void add_senders(std::set<SipId>& sips, TimeFs begin, TimeFs end) const;

 private:
  // A kind of command with its operation or dtype, or a stage.
  using Key = std::uint32_t;
  // A send, or, without slot, a barrier.
  struct Wait {
    NodeId at;
    std::uint64_t slot = 0;
    TimeFs start = 0_fs, end = 0_fs;
  };
  static constexpr std::size_t kMostWaits = std::size_t{1} << 20;  // of each, 48 MB in all

  OperationCost& cost_of(Key key, std::string_view prefix, std::string_view name);
  void add(OperationCost& cost, NodeId component, TimeFs start, TimeFs end, TimeFs needed);
  double gbs_of(NodeId node, bool into) const;

  const topology::Graph& graph_;
  contract::IOperationSink* next_ = nullptr;
  std::map<Key, OperationCost> costs_;
  std::vector<MessageReceive> receives_;
  std::map<std::uint64_t, NodeId> sender_of_;  // by slot of a ring
  std::map<std::uint64_t, NodeId> receiver_of_;
  std::vector<Wait> waits_;
};

}  // namespace kb::sim
