// Base of every modelled block, and what a block gets from the elaborator.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <systemc>
#include <typeindex>
#include <utility>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/contract/i_block_log.h"
#include "platform/contract/i_signal_observer.h"
#include "platform/elab/event_scheduler.h"
#include "platform/payload/transaction.h"
#include "platform/topology/graph.h"

namespace kb::contract {
class IKernelCatalog;
class IOperationSink;
class IOrderObserver;
}  // namespace kb::contract

namespace kb::payload {
class IHopObserver;
}
namespace kb::record {
class ActivityRecorder;
}

namespace kb::elab {

class PortMap;
class RouteTable;

// What the blocks of one PE share (modules::PeContext): made with the PE, before its blocks.
class PeParts {
 public:
  PeParts() = default;
  PeParts(const PeParts&) = delete;
  PeParts& operator=(const PeParts&) = delete;
  virtual ~PeParts() = default;
};

// The sockets of a block on the fabric and those of a block with links inside a PE. A neighbour that is bound to them
// knows the one class behind each: modules::FabricNode, modules::PeLinks.
class FabricSide {
 protected:
  ~FabricSide() = default;
};
class PeSide {
 protected:
  ~PeSide() = default;
};

// The seams handed to every block's constructor.
struct BlockContext {
  const topology::Graph& graph;
  EventScheduler& scheduler;
  payload::TransactionPool& pool;
  RouteTable& routes;
  const PortMap& ports;
  contract::IOperationSink* operations = nullptr;     // null: recording off
  const contract::IKernelCatalog* kernels = nullptr;  // null: no kernel can be launched
  contract::ISignalObserver* observer = nullptr;      // null: no waveforms
  contract::IBlockLog* log = nullptr;                 // null: no log of what blocks do
  contract::IOrderObserver* order = nullptr;          // null: no check of the order of memory accesses
  record::ActivityRecorder* recorder = nullptr;       // null: no recording of activity
  payload::IHopObserver* hops = nullptr;              // null: no hop trace
  bool check_foreign = true;                          // check the protocol on links of blocks from outside
  // Functional access behind transport_dbg: bytes served, no time, no change of timing state. Empty = 0 bytes.
  std::function<unsigned(tlm::tlm_generic_payload&)> debug_transport;

  // By PE. Null in a machine whose registry makes none (BlockRegistry::pe_parts), and for a PE that does not exist.
  PeParts* find_pe(const PeCoord& pe) const {
    const auto found = pes.find(pe);
    return found == pes.end() ? nullptr : found->second.get();
  }
  std::map<PeCoord, std::unique_ptr<PeParts>> pes;

  // What blocks of one family share, e.g. modules::OutsideModels: made when the first of them asks, kept as long as the
  // platform.
  template <typename T>
  T& shared() {
    std::shared_ptr<void>& found = shared_objects[typeid(T)];
    if (found == nullptr) found = std::make_shared<T>();
    return *static_cast<T*>(found.get());
  }
  std::map<std::type_index, std::shared_ptr<void>> shared_objects;
};

// One figure of a block's statistics: integral values keep reports bit-identical.
struct Statistic {
  Statistic(std::string name_, std::int64_t value_, std::string unit_)
      : name(std::move(name_)), value(value_), unit(std::move(unit_)) {}
  Statistic(std::string name_, TimeFs time) : Statistic(std::move(name_), time.fs(), "ns") {}

  std::string name;
  std::int64_t value;
  std::string unit;       // "ns" (value in fs), "B", "flits", "1"
  std::string purpose{};  // its name in sums over blocks of one kind: "to_router.busy"; empty: `name`
};

// One line of the table that a run without progress ends with: who waits for what (F-79).
struct WaitInfo {
  std::string who;   // "sip0.cube0.pe3.pe_cpu: kernel gemm, tl.load #12"
  std::string what;  // "response of sip0.cube1.hbm_ctrl.pe2 to read of 4 KiB at 0x10c2000000000"
  TimeFs since = 0_fs;
  std::optional<PeCoord> pe{};            // the PE that waits; none: another block waits
  std::vector<PeCoord> on{};              // PEs whose kernels could end the wait, any one of them
  std::string detail{};                   // further explanation of a deadlock; not in the table
  NodeId node{};                          // the block that waits; written by Platform::waits()
  bool is_request = false;                // the block sent the request and waits for its answer
  std::optional<std::uint64_t> launch{};  // the launch that this wait holds up, by the host's request; none: no launch
  std::string failure_code{}, failure{};  // code and text of a kernel that failed and waits for what it started
};

class Block : public sc_core::sc_module {
 public:
  Block(const sc_core::sc_module_name& name, NodeId node, BlockContext& context)
      : sc_core::sc_module(name), node_(node), context_(context) {
    if (context.log == nullptr) return;
    const std::optional<contract::LogLevel> level = context.log->level_of(node_id());
    if (level) log_levels_ = 1 + static_cast<int>(*level);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  NodeId node() const { return node_; }
  const topology::Node& node_record() const { return context_.graph.node(node_); }
  const std::string& node_id() const { return node_record().id; }

  // Binds this block's sockets for one directed edge that leaves it. Called once per edge in EdgeId order, before
  // elaboration ends. Edges of kind pe_internal are for PE blocks; all others belong to the fabric.
  virtual void bind_out(EdgeId edge, Block& neighbour) = 0;
  // The sockets that a neighbour's bind_out() binds to; null: the block has none of this kind.
  virtual FabricSide* fabric_side() { return nullptr; }
  virtual PeSide* pe_side() { return nullptr; }

  // Called once at the end of the run, however it ended: reports records that were held back while they could still be
  // rolled back.
  virtual void conclude() {}
  virtual void collect_statistics(std::vector<Statistic>&) const {}
  // Lists outstanding work; empty when idle. Called when the simulation stops making progress.
  virtual void collect_waits(std::vector<WaitInfo>&) const {}
  // Lists what should have been consumed by the end of a successful run and was not, a sentence each.
  virtual void collect_leftovers(std::vector<std::string>&) const {}

  bool logs(contract::LogLevel level) const { return log_levels_ > static_cast<int>(level); }
  // Writes down what `sentence` returns, a plain sentence whose subject is this block. One predictable branch, and
  // nothing is formatted, when the level is off.
  template <typename Sentence>
  void log(contract::LogLevel level, const Sentence& sentence) const {
    if (logs(level)) context_.log->write(level, context_.scheduler.now(), node_id(), sentence());
  }

 protected:
  BlockContext& context() const { return context_; }
  EventScheduler& scheduler() const { return context_.scheduler; }
  TimeFs now() const { return context_.scheduler.now(); }

 private:
  NodeId node_;
  int log_levels_ = 0;  // number of enabled levels, most important first; 0: log off
  BlockContext& context_;
};

}  // namespace kb::elab
