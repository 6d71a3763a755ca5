// Common part of every block of a PE: sockets for the links inside the PE and the two calls over them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tlm>

#include "modules/fabric/fabric_endpoint.h"
#include "modules/fabric/sliding_deque.h"
#include "modules/pe/command_task.h"
#include "modules/pe/pe_activity.h"
#include "modules/pe/pe_context.h"
#include "modules/pe/pe_protocol.h"
#include "modules/pe/task_watch.h"
#include "platform/elab/block.h"
#include "platform/topology/graph.h"

namespace kb::modules {

// Tasks that wait in each input queue of the block besides those being served; a queue_depth of 0 means no limit
// (P-34).
std::size_t queue_limit(std::int64_t queue_depth);

// Mixed into PE blocks through PeBlock (inside the PE only) and PeFabricBlock (also on the fabric). A link takes no
// time and has no queue of its own (P-2); a neighbour is addressed by its kind, of which a PE has one each.
//
// The sockets are the standard ones, bound once per neighbour. A call does not say through which of them it came: the
// task carries the kinds of the blocks that wait for it, so a hop costs one virtual call.
class PeLinks : public elab::PeSide {
 public:
  tlm::tlm_initiator_socket<32, PeProtocol, 0, sc_core::SC_ZERO_OR_MORE_BOUND> pe_out;
  tlm::tlm_target_socket<32, PeProtocol, 0, sc_core::SC_ZERO_OR_MORE_BOUND> pe_in;

  PeLinks(const PeLinks&) = delete;
  PeLinks& operator=(const PeLinks&) = delete;

 protected:
  PeLinks(elab::Block& self, PeContext& pe, elab::BlockContext& context);
  virtual ~PeLinks() = default;

  void bind_link(elab::Block& neighbour);
  // Called at the end of elaboration.
  void resolve_links();

  // BEGIN_REQ now. False when the receiver's input queue is full: the task waits there and on_accepted() follows
  // (P-34). Model Error when there is no link to a block of that kind.
  bool send(topology::NodeKind to, CommandTask& task);
  // BEGIN_RESP now, to the block from which the task came; `task.status` says how it went.
  void answer(CommandTask& task);
  // The task's stage, begun at `start`, is done: the task goes on to the block of its next stage, which may be this
  // one, or is answered when it was the last or has failed (P-30, P-33). The stage of a tile is reported (P-72).
  // False when the next block has no room yet: what served the task stays occupied until on_accepted().
  bool finish_stage(CommandTask& task, TimeFs start);
  // finish_stage() for an engine that has done the task's stage over [task.start, task.end = now]: a simple command
  // that did not fail is reported first (P-53).
  bool finish(CommandTask& task);
  // Writes into the log that the block `begins` or `ends` the task's stage.
  void log_stage(const char* verb, const CommandTask& task) const;
  // "tl.load #2 of launch #4", "tile 7 of tl.composite #3 of launch #4"
  std::string text_of(const CommandTask& task) const;
  // Reports the task's command as executed by this block over [task.start, task.end].
  void report(const CommandTask& task);
  // The PE's address translation; null where addresses are physical.
  const contract::ITranslator* translator() const { return pe_.translator; }

  PeContext& pe() { return pe_; }
  const PeContext& pe() const { return pe_; }
  void begin_activity(PeActivity::Kind kind);
  void end_activity(PeActivity::Kind kind);

  // Whether the input queue takes one more task; asked before on_task(). Default: always.
  virtual bool has_room(const CommandTask&) const { return true; }
  // Called by the block when a place in an input queue has come free: tasks that wait for one move up.
  void take_held();
  // A task for this block has arrived. Default: model Error.
  virtual void on_task(CommandTask& task);
  // The next stage of a task is this block's own, too (P-33). Default: as if it had arrived.
  virtual void on_next_stage(CommandTask& task) { on_task(task); }
  // A task that its receiver had no room for is in its queue now. Default: nothing was held up by it.
  virtual void on_accepted(CommandTask&) {}
  // A task sent to another block is back. Default: model Error.
  virtual void on_answer(CommandTask& task);
  // Time for which finished work waited for room in the next block; a statistic of blocks that do.
  TimeFs queue_full_time() const { return queue_full_; }

 private:
  bool request(topology::NodeKind to, CommandTask& task);
  void begin(CommandTask& task);  // calls on_task(), guarded for a block from outside
  bool pass_on(CommandTask& task);
  bool receive(CommandTask& task);
  void take_answer(CommandTask& task);

  // What the sockets call: objects of their own, because the fabric side of a block has the same methods.
  class RequestSide final : public tlm::tlm_fw_transport_if<PeProtocol> {
   public:
    explicit RequestSide(PeLinks& links) : links_(links) {}
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

   private:
    PeLinks& links_;
  };
  class AnswerSide final : public tlm::tlm_bw_transport_if<PeProtocol> {
   public:
    explicit AnswerSide(PeLinks& links) : links_(links) {}
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

   private:
    PeLinks& links_;
  };
  // The neighbour of one kind; null = no link in that direction.
  struct Link {
    int out_index = -1;  // index in pe_out; -1: unbound
    int in_index = -1;   // index in pe_in; -1: unbound
    tlm::tlm_fw_nonblocking_transport_if<>* server = nullptr;
    tlm::tlm_bw_nonblocking_transport_if<>* requester = nullptr;
    NodeId node{};
  };
  Link& link(topology::NodeKind kind) { return links_[static_cast<std::size_t>(kind)]; }

  elab::Block& self_;
  PeContext& pe_;
  elab::BlockContext& block_context_;
  topology::NodeKind kind_;
  RequestSide request_side_;
  AnswerSide answer_side_;
  std::array<Link, topology::kNodeKinds> links_;
  SlidingDeque<CommandTask*> held_;  // arrived tasks that wait for room
  TimeFs queue_full_ = 0_fs;
  std::unique_ptr<TaskWatch> watch_;  // protocol check of a block from outside; null: built-in block
  int bound_out_ = 0;
  int bound_in_ = 0;
};

// A block with links inside the PE only.
class PeBlock : public elab::Block, public PeLinks {
 public:
  PeBlock(const sc_core::sc_module_name& name, NodeId node, PeContext& pe, elab::BlockContext& context)
      : elab::Block(name, node, context), PeLinks(*this, pe, context) {}

  void bind_out(EdgeId edge, elab::Block& neighbour) override;
  elab::PeSide* pe_side() final { return this; }

 protected:
  void end_of_elaboration() override { resolve_links(); }
};

// A block that is on the fabric, too.
class PeFabricBlock : public FabricEndpoint, public PeLinks {
 public:
  PeFabricBlock(const sc_core::sc_module_name& name, NodeId node, TimeFs overhead, PeContext& pe,
                elab::BlockContext& context)
      : FabricEndpoint(name, node, overhead, context), PeLinks(*this, pe, context) {}

  void bind_out(EdgeId edge, elab::Block& neighbour) override;
  elab::PeSide* pe_side() final { return this; }

 protected:
  void end_of_elaboration() override {
    FabricEndpoint::end_of_elaboration();
    resolve_links();
  }
};

}  // namespace kb::modules
