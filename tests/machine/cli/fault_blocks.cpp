// Routers and memory controllers that make one mistake each; the environment variable KB_BLOCK_FAULT chooses.
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/fabric/arrival_node.h"
#include "modules/pe/accel_engine.h"
#include "modules/pe/catalog.h"
#include "platform/elab/block_plugin.h"
#include "platform/params/forwarding_params.h"
#include "platform/params/hbm_ctrl_params.h"
#include "platform/params/pe_math_params.h"

namespace {

using namespace kb::literals;
using kb::TimeFs;
using kb::topology::NodeKind;

bool fault_is(const char* name) {
  static const char* const fault = std::getenv("KB_BLOCK_FAULT");
  return fault != nullptr && std::string(fault) == name;
}

// What a block may do at the first thing that it sees.
void crash() {
  if (fault_is("throw")) throw std::runtime_error("the table is empty");
  if (fault_is("odd-throw")) throw 7;
  if (fault_is("segv")) std::raise(SIGSEGV);
  if (fault_is("null")) *static_cast<volatile int*>(nullptr) = 1;
  if (fault_is("fpe")) std::raise(SIGFPE);
  if (fault_is("bus")) std::raise(SIGBUS);
  if (fault_is("ill")) __builtin_trap();
  if (fault_is("abort")) std::abort();
  if (fault_is("busy")) {
    for (volatile bool forever = true; forever;) continue;
  }
}

class Router final : public kb::modules::ArrivalNode {
 public:
  Router(const sc_core::sc_module_name& name, kb::NodeId node, const kb::params::ForwardingParams& params,
         kb::elab::BlockContext& context)
      : ArrivalNode(name, node, context), overhead_(params.overhead.time()) {
    if (fault_is("constructor")) throw std::runtime_error("no licence");
    if (fault_is("odd-constructor")) throw 7;
    if (fault_is("constructor-segv")) std::raise(SIGSEGV);
  }

 private:
  void on_arrival(const Arrival& flit) override {
    crash();
    const TimeFs ready = flit.time() + overhead_;
    if (fault_is("swallow") && flit.is_last()) return;
    if (fault_is("past")) return depart(flit, flit.time() - 1_fs);
    if (fault_is("reverse") && !flit.is_message()) return reverse(flit, ready);
    if (fault_is("caught")) {
      try {
        depart(flit, flit.time() - 1_fs);
      } catch (...) {  // nothing may come through here
        std::exit(0);
      }
      return;
    }
    depart(flit, ready);
    if (fault_is("twice")) depart(flit, ready);
  }
  void reverse(const Arrival& flit, TimeFs ready) {
    waiting_.push_back(flit);
    if (!flit.is_last()) return;
    for (; !waiting_.empty(); waiting_.pop_back(), ready += 1_fs) depart(waiting_.back(), ready);
  }

  TimeFs overhead_;
  std::vector<Arrival> waiting_;
};

class Memory final : public kb::modules::ArrivalNode {
 public:
  Memory(const sc_core::sc_module_name& name, kb::NodeId node, const kb::params::HbmCtrlParams&,
         kb::elab::BlockContext& context)
      : ArrivalNode(name, node, context) {}

 private:
  void on_arrival(const Arrival& arrival) override {
    if (fault_is("pass-on")) return depart(arrival, now());
    kb::payload::Transaction& transaction = arrival.transaction();
    const bool write = transaction.op == kb::payload::Op::write;
    if (fault_is("early") && write && arrival.is_first()) return depart(response(transaction), now());
    if (!arrival.is_last() || fault_is("silent")) return;
    for (std::uint32_t i = 0; i < (write ? 1 : transaction.flits); ++i) depart(response(transaction, i), now());
    if (fault_is("twice")) depart(response(transaction), now());
    if (fault_is("late") && ++answered_ == 2)
      depart(response(*first_), now());  // again, when it has long been answered
    if (first_ == nullptr) first_ = &transaction;
    if (fault_is("late")) wake_at(now() + 1000_ns);
  }

  kb::payload::Transaction* first_ = nullptr;
  int answered_ = 0;
};

class Math final : public kb::modules::AccelEngine {
 public:
  Math(const sc_core::sc_module_name& name, kb::NodeId node, const kb::params::PeMathParams& kind,
       const kb::params::NoParams&, kb::modules::PeContext& pe, kb::elab::BlockContext& context)
      : AccelEngine(name, node, kind.overhead.time(), kind.queue_depth, kind.shared_resource, pe, context) {}

 private:
  TimeFs work(kb::modules::CommandTask&) override {
    crash();
    return 1_ns;
  }
};

// An engine below AccelEngine, which does with commands what it should not.
class Engine final : public kb::modules::PeBlock, private kb::elab::EventHandler {
 public:
  Engine(const sc_core::sc_module_name& name, kb::NodeId node, const kb::params::PeMathParams&,
         const kb::params::NoParams&, kb::modules::PeContext& pe, kb::elab::BlockContext& context)
      : PeBlock(name, node, pe, context) {}

 private:
  void on_task(kb::modules::CommandTask& task) override {
    crash();
    if (fault_is("unasked")) return answer(pool_.acquire(*task.command));
    task_ = &task;
    task.start = now();
    scheduler().schedule(now() + 1_ns, *this);
  }
  void on_event(TimeFs, std::uint64_t) override {
    if (fault_is("silent")) return;
    finish(*task_);
    if (fault_is("twice")) answer(*task_);
    if (fault_is("finish-twice")) finish(*task_);
    if (fault_is("send-back")) send(NodeKind::pe_fetch_store, *task_);
  }

  kb::modules::CommandPool pool_;
  kb::modules::CommandTask* task_ = nullptr;
};

// A router below the simple base class, which speaks the protocol itself, and not well.
class RawRouter final : public kb::modules::FabricNode {
 public:
  RawRouter(const sc_core::sc_module_name& name, kb::NodeId node, const kb::params::ForwardingParams&,
            kb::elab::BlockContext& context)
      : FabricNode(name, node, context) {}

 private:
  // Before the header has arrived.
  void on_flits(kb::modules::FlitStream& flits) override {
    if (fault_is("raw-end")) return send_end(flits.in_port, *flits.transaction, flits.leg);
    flits.time = now();
    commit(flits, now());
  }
  void on_message(kb::payload::Transaction& transaction, const kb::modules::FlitStream& message) override {
    const TimeFs ready = fault_is("raw-end") ? message.time : now();
    send_message(message.out_port, transaction, message.leg, message.hop, ready, message.key());
  }
  void on_rollback(std::uint16_t, kb::payload::Transaction&, kb::payload::Leg, std::uint32_t) override {}
  void roll_back(const kb::modules::FlitStream&) override {}
};

struct Contradictory {
  std::int64_t lanes = 0;
};

}  // namespace

KERNBENCH_BLOCKS(catalog) {
  using kb::elab::make_factory;
  using kb::params::no_fields;
  using Fields = kb::params::Fields<Contradictory>;
  if (fault_is("entry-segv")) std::raise(SIGSEGV);
  const auto router = make_factory<Router, kb::params::ForwardingParams>();
  if (fault_is("no-prefix")) catalog.add_block({NodeKind::noc_router, "router", no_fields(), router});
  if (fault_is("no-factory")) catalog.add_block({NodeKind::noc_router, "custom.router", no_fields(), nullptr});
  if (fault_is("no-kind")) catalog.add_block({static_cast<NodeKind>(200), "custom.router", no_fields(), router});
  if (fault_is("host")) catalog.add_block({NodeKind::host, "custom.router", no_fields(), router});
  if (fault_is("table")) {
    catalog.add_block({NodeKind::noc_router, "custom.router",
                       Fields().add("lanes", &Contradictory::lanes, kb::at_least(1, 8), "lanes").table(), router});
  }
  if (fault_is("table-clash")) {
    catalog.add_block({NodeKind::noc_router, "custom.router",
                       Fields().add("overhead_ns", &Contradictory::lanes, "lanes").table(), router});
  }
  catalog.add_block({NodeKind::noc_router, "custom.router", no_fields(), router});
  if (fault_is("clash")) catalog.add_block({NodeKind::noc_router, "custom.router", no_fields(), router});
  catalog.add_block({NodeKind::noc_router, "custom.raw_router", no_fields(),
                     make_factory<RawRouter, kb::params::ForwardingParams>()});
  catalog.add_block(
      {NodeKind::hbm_ctrl, "custom.memory", no_fields(), make_factory<Memory, kb::params::HbmCtrlParams>()});
  catalog.add_block({NodeKind::pe_math, "custom.engine", no_fields(),
                     kb::modules::make_custom_pe_factory<Engine, kb::params::PeMathParams, kb::params::NoParams>()});
  catalog.add_block({NodeKind::pe_math, "custom.math", no_fields(),
                     kb::modules::make_custom_pe_factory<Math, kb::params::PeMathParams, kb::params::NoParams>()});
}
