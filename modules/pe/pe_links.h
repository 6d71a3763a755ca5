// Common base of all PE blocks: the sockets of the links inside the PE and the calls that use them.
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
#include "modules/pe/pe_protocol_checker.h"
#include "platform/elab/block.h"
#include "platform/topology/graph.h"

namespace kb::modules {

// Maximum number of tasks that wait in an input queue, not counting tasks in service; a queue_depth of 0 means no limit
// (P-34).
std::size_t queue_limit(std::int64_t queue_depth);

// Mix-in for PE blocks, used by PeBlock (inside the PE only) and PeFabricBlock (also on the fabric). A link takes no
// time and has no queue (P-2). Neighbours are addressed by kind, because a PE has one block of each kind.
//
// The sockets are standard TLM sockets, bound once per neighbour. A call does not identify its socket: the task carries
// the kinds of the blocks that wait for it, so that a hop costs one virtual call.
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

  // Sends BEGIN_REQ now. Returns false when the receiver's input queue is full: the task then waits there, and
  // on_accepted() follows (P-34). Model Error when there is no link to a block of this kind.
  bool send(topology::NodeKind to, CommandTask& task);
  // Sends BEGIN_RESP now, to the block that sent the task; `task.status` holds the result.
  void answer(CommandTask& task);
  // Ends the task's stage, which began at `start`. The task goes to the block of its next stage, which may be this one;
  // after the last stage or a failure it is answered (P-30, P-33). A stage of a tile is reported (P-72). Returns false
  // when the next block's queue is full: the unit that served the task stays occupied until on_accepted().
  bool finish_stage(CommandTask& task, TimeFs start);
  // Like finish_stage(), for an engine that served the stage over [task.start, task.end = now]: a simple command that
  // succeeded is reported first (P-53).
  bool finish(CommandTask& task);
  // Logs that the block `begins` or `ends` the task's stage.
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
  void begin_activity(engine::EngineId engine, account::PlaceId place);
  void end_activity(engine::EngineId engine);

  // Whether the input queue can take one more task; called before on_task(). Default: always.
  virtual bool has_room(const CommandTask&) const { return true; }
  // The block calls this when a place in an input queue becomes free: waiting tasks move up.
  void admit_waiting();
  // A task for this block has arrived. Default: model Error.
  virtual void on_task(CommandTask& task);
  // The next stage of a task belongs to this block, too (P-33). Default: treats it as an arrival.
  virtual void on_next_stage(CommandTask& task) { on_task(task); }
  // A task that had to wait has entered the receiver's queue. Default: no action.
  virtual void on_accepted(CommandTask&) {}
  // A task that was sent to another block has returned. Default: model Error.
  virtual void on_answer(CommandTask& task);
  // Total time in which finished work was stalled by a full queue of the next block; a statistic.
  TimeFs queue_full_time() const { return queue_full_; }

 private:
  bool request(topology::NodeKind to, CommandTask& task);
  void begin(CommandTask& task);  // calls on_task(), guarded when the block comes from a plug-in
  bool pass_on(CommandTask& task);
  bool receive(CommandTask& task);
  void take_answer(CommandTask& task);

  // Targets of the socket calls. They are separate objects, because the fabric side of a block has methods of the same
  // names.
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
  // Connection to the neighbour of one node kind.
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
  SlidingDeque<CommandTask*> held_;  // arrived tasks that wait for a place in the queue
  TimeFs queue_full_ = 0_fs;
  std::unique_ptr<PeProtocolChecker> watch_;  // protocol checker of a plug-in block; null for a built-in block
  int bound_out_ = 0;
  int bound_in_ = 0;
};

// A block that is connected only inside the PE.
class PeBlock : public elab::Block, public PeLinks {
 public:
  PeBlock(const sc_core::sc_module_name& name, NodeId node, PeContext& pe, elab::BlockContext& context)
      : elab::Block(name, node, context), PeLinks(*this, pe, context) {}

  void bind_out(EdgeId edge, elab::Block& neighbour) override;
  elab::PeSide* pe_side() final { return this; }

 protected:
  void end_of_elaboration() override { resolve_links(); }
};

// A block that is also connected to the fabric.
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
