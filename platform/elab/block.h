// Base class of all modelled blocks, and the context that the elaborator passes to them.
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
#include "platform/resource/resource.h"
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
namespace kb::resource {
class ResourceTable;
}

namespace kb::dram {
class CommandLog;
}

namespace kb::elab {

class PortMap;
class RouteTable;

// Base of the objects that the blocks of one PE share (modules::PeContext); created before these blocks.
class PeParts {
 public:
  PeParts() = default;
  PeParts(const PeParts&) = delete;
  PeParts& operator=(const PeParts&) = delete;
  virtual ~PeParts() = default;
};

// Base types of a block's fabric sockets and of its PE-internal sockets. A neighbour binds to the one derived class of
// each: modules::FabricNode, modules::PeLinks.
class FabricSide {
 protected:
  ~FabricSide() = default;
};
class PeSide {
 protected:
  ~PeSide() = default;
};

// The interfaces that every block's constructor gets.
struct BlockContext {
  const topology::Graph& graph;
  EventScheduler& scheduler;
  payload::TransactionPool& pool;
  RouteTable& routes;
  const PortMap& ports;
  resource::ResourceTable& resources;
  contract::IOperationSink* operations = nullptr;     // null: no recording
  const contract::IKernelCatalog* kernels = nullptr;  // null: no kernel can be launched
  contract::ISignalObserver* observer = nullptr;      // null: no waveforms
  contract::IBlockLog* log = nullptr;                 // null: no log
  contract::IOrderObserver* order = nullptr;          // null: no race checker
  record::ActivityRecorder* recorder = nullptr;       // null: no recording of activity
  payload::IHopObserver* hops = nullptr;              // null: no hop trace
  dram::CommandLog* dram = nullptr;                   // null: no trace of memory commands
  bool check_foreign = true;                          // check the protocol on links of plug-in blocks
  // Functional access for transport_dbg: returns the number of served bytes and changes neither time nor timing state.
  // Empty = 0 bytes.
  std::function<unsigned(tlm::tlm_generic_payload&)> debug_transport;

  // Returns null when the machine's registry creates no parts (BlockRegistry::pe_parts) or the PE does not exist.
  PeParts* find_pe(const PeCoord& pe) const {
    const auto found = pes.find(pe);
    return found == pes.end() ? nullptr : found->second.get();
  }
  std::map<PeCoord, std::unique_ptr<PeParts>> pes;

  // Object that the blocks of one family share, e.g. modules::OutsideModels: created on first use and kept for the
  // lifetime of the platform.
  template <typename T>
  T& shared() {
    std::shared_ptr<void>& found = shared_objects[typeid(T)];
    if (found == nullptr) found = std::make_shared<T>();
    return *static_cast<T*>(found.get());
  }
  std::map<std::type_index, std::shared_ptr<void>> shared_objects;
};

// One value of a block's statistics; integer values keep reports bit-identical.
struct Statistic {
  Statistic(std::string name_, std::int64_t value_, std::string unit_)
      : name(std::move(name_)), value(value_), unit(std::move(unit_)) {}
  Statistic(std::string name_, TimeFs time) : Statistic(std::move(name_), time.fs(), "ns") {}

  std::string name;
  std::int64_t value;
  std::string unit;       // "ns" (value in fs), "B", "flits", "1"
  std::string purpose{};  // its name in sums over blocks of one kind: "to_router.busy"; empty: `name`
};

// Adds the sums of a declared resource that was used: uses, bytes, busy and waiting time (of each unit, when there are
// several), and the waits by cause.
void add_statistics(const resource::Resource& resource, std::vector<Statistic>& statistics);

// One line of the table of waits that is printed when a run deadlocks (F-79).
struct WaitInfo {
  std::string who;   // "sip0.cube0.pe3.pe_cpu: kernel gemm, tl.load #12"
  std::string what;  // "response of sip0.cube1.hbm_ctrl.pe2 to read of 4 KiB at 0x10c2000000000"
  TimeFs since = 0_fs;
  std::optional<PeCoord> pe{};            // the waiting PE; no value: another block waits
  std::vector<PeCoord> on{};              // PEs whose kernels could end the wait; any one of them suffices
  std::string detail{};                   // additional explanation of a deadlock; not in the table
  NodeId node{};                          // the waiting block; written by Platform::waits()
  bool is_request = false;                // the block sent the request and waits for its answer
  std::optional<std::uint64_t> launch{};  // the launch that is blocked by this wait, by its request number
  std::string failure_code{}, failure{};  // code and text of a kernel that failed and waits for its commands
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

  // Binds this block's sockets for one outgoing edge. Called once per edge, in EdgeId order, before elaboration ends.
  // Edges of kind pe_internal connect PE blocks; all others belong to the fabric.
  virtual void bind_out(EdgeId edge, Block& neighbour) = 0;
  // Sockets to which a neighbour's bind_out() binds; null when the block has none of this kind.
  virtual FabricSide* fabric_side() { return nullptr; }
  virtual PeSide* pe_side() { return nullptr; }

  // Called once at the end of every run: reports records that were held back because they could still be rolled back.
  virtual void conclude() {}
  // Statistics besides those of declared resources.
  virtual void collect_statistics(std::vector<Statistic>&) const {}
  // Lists outstanding work; empty when idle. Called when the simulation stops making progress.
  virtual void collect_waits(std::vector<WaitInfo>&) const {}
  // Lists items that a successful run should have consumed but did not, one sentence each.
  virtual void collect_unconsumed(std::vector<std::string>&) const {}

  bool logs(contract::LogLevel level) const { return log_levels_ > static_cast<int>(level); }
  // Logs the sentence that `sentence` returns; its subject is this block. When the level is off, the cost is one
  // predictable branch, without formatting.
  template <typename Sentence>
  void log(contract::LogLevel level, const Sentence& sentence) const {
    if (logs(level)) context_.log->write(level, context_.scheduler.now(), node_id(), sentence());
  }

 protected:
  // Declares a resource of this block, which the constructor keeps; sums, series and pages follow from it.
  resource::Resource& declare(resource::Declaration declaration);
  BlockContext& context() const { return context_; }
  EventScheduler& scheduler() const { return context_.scheduler; }
  TimeFs now() const { return context_.scheduler.now(); }

 private:
  NodeId node_;
  int log_levels_ = 0;  // number of enabled levels, most important first; 0: log off
  BlockContext& context_;
};

}  // namespace kb::elab
