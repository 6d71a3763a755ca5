// Work of the engines by dtype and place, counted from finished operations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/contract/command.h"
#include "platform/contract/i_operation_sink.h"
#include "platform/energy/events.h"
#include "platform/topology/graph.h"

namespace kb::sim {

// An operation sink that forwards everything to another sink. It only observes. Attached only when the machine has
// coefficients.
class EngineWork final : public contract::IOperationSink {
 public:
  explicit EngineWork(const topology::Graph& graph) : graph_(graph) {}
  void pass_on_to(contract::IOperationSink& next) { next_ = &next; }

  void on_command(NodeId component, const contract::Command& command, const contract::ITranslator* translator,
                  TimeFs start, TimeFs end) override;
  void on_stage(NodeId component, const TileStage& tile, TimeFs start, TimeFs end) override;
  void on_message(NodeId component, const MessageCopy& copy, const contract::ITranslator* translator, TimeFs start,
                  TimeFs end) override {
    next_->on_message(component, copy, translator, start, end);
  }
  void on_scratch_write(NodeId component, std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes,
                        TimeFs at) override {
    next_->on_scratch_write(component, pa, dtype, std::move(bytes), at);
  }
  void on_host_write(NodeId component, const contract::MemoryWrite& write, TimeFs start, TimeFs end) override {
    next_->on_host_write(component, write, start, end);
  }
  std::vector<std::byte> kernel_read(const std::vector<Extent>& extents) override {
    return next_->kernel_read(extents);
  }
  std::optional<std::vector<std::byte>> read_if_known(const std::vector<Extent>& extents) override {
    return next_->read_if_known(extents);
  }

  // MACs of products, padding included, and elements of PE_MATH times passes.
  using ByPlace = std::map<account::PlaceId, std::uint64_t>;
  const std::map<energy::EventId, ByPlace>& counts() const { return counts_; }
  std::uint64_t useful_macs() const { return useful_macs_; }
  // Elements of the engines of plug-ins, by name of the engine; they have no coefficients.
  const std::map<std::string, double>& of_plugins() const { return of_plugins_; }

 private:
  void add_macs(const contract::Command& command, account::PlaceId place, std::int64_t padded, std::int64_t useful);
  void add_elements(Dtype dtype, MathOp op, account::PlaceId place, std::int64_t elements);
  std::int64_t padded_macs(NodeId engine, const contract::Command& command) const;

  const topology::Graph& graph_;
  contract::IOperationSink* next_ = nullptr;
  std::map<energy::EventId, ByPlace> counts_;
  std::uint64_t useful_macs_ = 0;
  std::map<std::string, double> of_plugins_;
};

}  // namespace kb::sim
