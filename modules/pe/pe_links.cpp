#include "modules/pe/pe_links.h"

#include "platform/base/error.h"
#include "platform/contract/i_operation_sink.h"

namespace kb::modules {

using topology::NodeKind;

PeLinks::PeLinks(elab::Block& self, elab::BlockContext& context)
    : pe_out("pe_out"), pe_in("pe_in"), self_(self), pe_context_(context) {
  out_index_.fill(-1);
  pe_out.register_nb_transport_bw(this, &PeLinks::receive_response);
  pe_in.register_nb_transport_fw(this, &PeLinks::receive_request);
}

void PeLinks::bind_link(elab::Block& neighbour) {
  auto* const peer = dynamic_cast<PeLinks*>(&neighbour);
  if (peer == nullptr) {
    throw Error::configuration("the link " + self_.node_id() + " -> " + neighbour.node_id() +
                               " needs a block of a PE at its end; the implementation '" +
                               neighbour.node_record().impl + "' is none");
  }
  out_index_[static_cast<std::size_t>(neighbour.node_record().kind)] = links_++;
  pe_out.bind(peer->pe_in);
}

void PeLinks::send(NodeKind to, CommandTask& task) {
  const std::int8_t link = out_index_[static_cast<std::size_t>(to)];
  if (link < 0) throw Error::model(self_.node_id() + " has no link to " + std::string(topology::node_kind_name(to)));
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time no_delay;
  pe_out[link]->nb_transport_fw(task.payload(), phase, no_delay);
}

void PeLinks::answer(CommandTask& task) {
  if (task.hops_ == 0) throw Error::model(self_.node_id() + " answers a command that it was not given");
  task.payload().set_response_status(task.status.ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  const int link = task.return_index_[--task.hops_];
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time no_delay;
  pe_in[link]->nb_transport_bw(task.payload(), phase, no_delay);
}

void PeLinks::finish(CommandTask& task) {
  task.end = pe_context_.scheduler.now();
  if (task.status.ok && pe_context_.operations != nullptr) {
    pe_context_.operations->on_command(self_.node(), task.command, task.start, task.end);
  }
  answer(task);
}

tlm::tlm_sync_enum PeLinks::receive_request(int index, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time&) {
  auto* const task = payload.get_extension<CommandTask>();
  if (task == nullptr || phase != tlm::BEGIN_REQ || task->hops_ == CommandTask::kMaxHops) {
    throw Error::model(self_.node_id() + " received a request that breaks the protocol between PE blocks");
  }
  task->return_index_[task->hops_++] = static_cast<std::uint8_t>(index);
  on_task(*task);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

tlm::tlm_sync_enum PeLinks::receive_response(int, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time&) {
  if (phase != tlm::BEGIN_RESP) {
    throw Error::model(self_.node_id() + " received an answer that breaks the protocol between PE blocks");
  }
  on_answer(*payload.get_extension<CommandTask>());
  return tlm::TLM_COMPLETED;
}

void PeLinks::on_task(CommandTask& task) {
  throw Error::model(self_.node_id() + " takes no commands, but was given a " +
                     std::string(contract::command_kind_name(task.command.kind)));
}

void PeLinks::on_answer(CommandTask&) {
  throw Error::model(self_.node_id() + " sends no commands, but got an answer");
}

void PeBlock::bind_out(EdgeId, elab::Block& neighbour) {
  bind_link(neighbour);
}

void PeFabricBlock::bind_out(EdgeId edge, elab::Block& neighbour) {
  if (context().graph.edge(edge).kind == topology::EdgeKind::pe_internal) {
    bind_link(neighbour);
  } else {
    FabricEndpoint::bind_out(edge, neighbour);
  }
}

}  // namespace kb::modules
