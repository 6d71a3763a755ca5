// What every block of a PE has besides what it is: sockets for the links inside the PE and the two calls over them.
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <array>
#include <vector>

#include "modules/fabric/fabric_endpoint.h"
#include "modules/pe/command_task.h"
#include "modules/pe/pe_protocol.h"
#include "platform/elab/block.h"
#include "platform/topology/graph.h"

namespace kb::modules {

// Mixed into PE blocks through PeBlock (inside the PE only) and PeFabricBlock (also on the fabric). A link takes no
// time and has no queue of its own (P-2); a neighbour is addressed by its kind, of which a PE has one each.
class PeLinks {
 public:
  tlm_utils::multi_passthrough_initiator_socket<PeLinks, 32, PeProtocol> pe_out;
  tlm_utils::multi_passthrough_target_socket<PeLinks, 32, PeProtocol> pe_in;

  PeLinks(const PeLinks&) = delete;
  PeLinks& operator=(const PeLinks&) = delete;

 protected:
  PeLinks(elab::Block& self, elab::BlockContext& context);
  virtual ~PeLinks() = default;

  void bind_link(elab::Block& neighbour);

  // BEGIN_REQ now. Model Error when there is no link to a block of that kind.
  void send(topology::NodeKind to, CommandTask& task);
  // BEGIN_RESP now, to the block from which the task came; `task.status` says how it went.
  void answer(CommandTask& task);
  // The same for an engine that has executed the task's command over [task.start, task.end = now]: reports the
  // operation first (P-53), unless it failed.
  void finish(CommandTask& task);

  // A task for this block has arrived. Default: model Error.
  virtual void on_task(CommandTask& task);
  // A task sent to another block is back. Default: model Error.
  virtual void on_answer(CommandTask& task);

 private:
  tlm::tlm_sync_enum receive_request(int index, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  tlm::tlm_sync_enum receive_response(int index, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                      sc_core::sc_time& delay);

  static constexpr std::size_t kKinds = static_cast<std::size_t>(topology::NodeKind::pe_ipcq) + 1;
  elab::Block& self_;
  elab::BlockContext& pe_context_;
  std::array<std::int8_t, kKinds> out_index_;  // in pe_out; -1 = no link
  std::int8_t links_ = 0;
};

// A block with links inside the PE only.
class PeBlock : public elab::Block, public PeLinks {
 public:
  PeBlock(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context)
      : elab::Block(name, node, context), PeLinks(*this, context) {}

  void bind_out(EdgeId edge, elab::Block& neighbour) override;
};

// A block that is on the fabric, too.
class PeFabricBlock : public FabricEndpoint, public PeLinks {
 public:
  PeFabricBlock(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context)
      : FabricEndpoint(name, node, context), PeLinks(*this, context) {}

  void bind_out(EdgeId edge, elab::Block& neighbour) override;
};

}  // namespace kb::modules
