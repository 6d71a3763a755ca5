#include "modules/pe/pe_links.h"

#include <fmt/format.h>

#include <limits>

#include "modules/pe/pipeline_context.h"
#include "platform/base/error.h"
#include "platform/contract/i_operation_sink.h"

namespace kb::modules {

using topology::NodeKind;

std::size_t queue_limit(std::int64_t queue_depth) {
  return queue_depth == 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(queue_depth);
}

PeLinks::PeLinks(elab::Block& self, PeContext& pe, elab::BlockContext& context)
    : pe_out("pe_out"),
      pe_in("pe_in"),
      self_(self),
      pe_(pe),
      block_context_(context),
      kind_(self.node_record().kind),
      request_side_(*this),
      answer_side_(*this) {
  pe_out.bind(answer_side_);
  pe_in.bind(request_side_);
  if (context.check_foreign && self.node_record().foreign) watch_ = std::make_unique<PeProtocolChecker>(self, context);
}

void PeLinks::bind_link(elab::Block& neighbour) {
  auto* const peer = static_cast<PeLinks*>(neighbour.pe_side());
  if (peer == nullptr) {
    throw Error::configuration("the link " + self_.node_id() + " -> " + neighbour.node_id() +
                               " needs a block of a PE at its end; the implementation '" +
                               neighbour.node_record().impl + "' is none");
  }
  Link& there = link(peer->kind_);
  Link& back = peer->link(kind_);
  there.out_index = bound_out_++;
  there.node = neighbour.node();
  back.in_index = peer->bound_in_++;
  back.node = self_.node();
  pe_out.bind(peer->pe_in);
}

void PeLinks::resolve_links() {
  for (Link& neighbour : links_) {
    if (neighbour.out_index >= 0) neighbour.server = pe_out[neighbour.out_index];
    if (neighbour.in_index >= 0) neighbour.requester = pe_in[neighbour.in_index];
  }
}

bool PeLinks::send(NodeKind to, CommandTask& task) {
  if (watch_ != nullptr && !watch_->may_send(task, text_of(task))) return true;
  if (!task.return_path.push(kind_)) throw Error::model(self_.node_id() + " sends a command too many hops on");
  return request(to, task);
}

bool PeLinks::request(NodeKind to, CommandTask& task) {
  const Link& neighbour = link(to);
  if (neighbour.server == nullptr) {
    throw Error::model(self_.node_id() + " has no link to " + std::string(topology::node_kind_name(to)));
  }
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time no_delay;
  task.return_path.sender = kind_;
  tlm::tlm_sync_enum taken = tlm::TLM_UPDATED;
  const auto call = [&] { taken = neighbour.server->nb_transport_fw(task.payload(), phase, no_delay); };
  if (watch_ == nullptr) {
    call();
  } else {
    watch_->call_neighbour(neighbour.node, call);
  }
  if (taken == tlm::TLM_UPDATED) return true;
  task.return_path.held_since = block_context_.scheduler.now();
  return false;
}

void PeLinks::begin_activity(PeActivity::Kind kind) {
  pe_.activity.begin(kind, block_context_.scheduler.now());
}

void PeLinks::end_activity(PeActivity::Kind kind) {
  pe_.activity.end(kind, block_context_.scheduler.now());
}

void PeLinks::begin_activity(engine::EngineId engine, account::PlaceId place) {
  pe_.activity.begin(engine, block_context_.scheduler.now(), place);
}

void PeLinks::end_activity(engine::EngineId engine) {
  pe_.activity.end(engine, block_context_.scheduler.now());
}

bool PeLinks::receive(CommandTask& task) {
  if (watch_ != nullptr) watch_->received(task, text_of(task));
  if (!has_room(task)) {
    held_.push_back(&task);
    return false;
  }
  begin(task);
  return true;
}

void PeLinks::begin(CommandTask& task) {
  if (watch_ == nullptr) return on_task(task);
  watch_->call([&] { on_task(task); });
}

// Accepting a task may free another place, so that the loop restarts at 0.
void PeLinks::admit_waiting() {
  for (std::size_t i = 0; i < held_.size();) {
    CommandTask& task = *held_[i];
    if (!has_room(task)) {
      ++i;
      continue;
    }
    held_.erase(i);
    const Link& sender = link(task.return_path.sender);
    begin(task);
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time no_delay;
    sender.requester->nb_transport_bw(task.payload(), phase, no_delay);
    i = 0;
  }
}

void PeLinks::answer(CommandTask& task) {
  if (watch_ != nullptr && !watch_->may_answer(task)) return;
  if (task.return_path.empty()) throw Error::model(self_.node_id() + " answers a command that it was not given");
  task.payload().set_response_status(task.status.ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  const Link& neighbour = link(task.return_path.pop());
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time no_delay;
  const auto call = [&] { neighbour.requester->nb_transport_bw(task.payload(), phase, no_delay); };
  if (watch_ == nullptr) return call();
  watch_->call_neighbour(neighbour.node, call);
}

bool PeLinks::pass_on(CommandTask& task) {
  if (!task.status.ok || !task.advance()) {
    answer(task);
    return true;
  }
  const NodeKind next = block_of(task.stage);
  if (next != kind_) {  // the answer goes to the block that waits for the task
    return watch_ != nullptr && !watch_->may_pass_on(task) ? true : request(next, task);
  }
  on_next_stage(task);
  return true;
}

bool PeLinks::finish(CommandTask& task) {
  if (watch_ != nullptr && !watch_->may_end(task)) return true;
  task.end = block_context_.scheduler.now();
  CommandTask& command = task.pipeline() == nullptr ? task : *task.pipeline()->command;
  command.add_service(task.stage, task.end - task.start);
  if (task.status.ok && task.pipeline() == nullptr) report(task);
  return finish_stage(task, task.start);
}

bool PeLinks::finish_stage(CommandTask& task, TimeFs start) {
  if (watch_ != nullptr && !watch_->may_end(task)) return true;
  log_stage("ends", task);
  if (task.pipeline() != nullptr && task.status.ok && block_context_.operations != nullptr) {
    block_context_.operations->on_stage(
        self_.node(), {task.stage, task.pipeline()->command->id, task.tile().id, task.place(), task.command}, start,
        block_context_.scheduler.now());
  }
  return pass_on(task);
}

// A composite is logged on one line; its thousands of tiles are not logged.
void PeLinks::log_stage(const char* verb, const CommandTask& task) const {
  self_.log(task.pipeline() == nullptr ? contract::LogLevel::info : contract::LogLevel::debug, [&] {
    return fmt::format("{} {} of {}{}", verb, plan::stage_type_name(task.stage.type), text_of(task),
                       task.status.ok ? "" : ": " + task.status.code);
  });
}

std::string PeLinks::text_of(const CommandTask& task) const {
  return fmt::format("{}tl.{} #{} of launch #{}",
                     task.pipeline() == nullptr ? "" : fmt::format("tile {} of ", task.tile().id), task.command->call,
                     task.command->call_index, pe_.launch);
}

void PeLinks::report(const CommandTask& task) {
  if (block_context_.operations == nullptr) return;
  block_context_.operations->on_command(self_.node(), *task.command, pe_.translator, task.start, task.end);
}

tlm::tlm_sync_enum PeLinks::RequestSide::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                         sc_core::sc_time&) {
  auto* const task = payload.get_extension<CommandTask>();
  if (task == nullptr || phase != tlm::BEGIN_REQ) {
    throw Error::model(links_.self_.node_id() + " received a request that breaks the protocol between PE blocks");
  }
  if (!links_.receive(*task)) return tlm::TLM_ACCEPTED;
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void PeLinks::RequestSide::b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) {
  throw Error::model(links_.self_.node_id() +
                     " got a blocking transport call; PE blocks are approximately timed (nb_transport)");
}

tlm::tlm_sync_enum PeLinks::AnswerSide::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                        sc_core::sc_time&) {
  auto* const task = payload.get_extension<CommandTask>();
  if (phase == tlm::END_REQ) {
    accumulate(links_.queue_full_, links_.block_context_.scheduler.now() - task->return_path.held_since);
    links_.on_accepted(*task);
    return tlm::TLM_ACCEPTED;
  }
  if (phase != tlm::BEGIN_RESP) {
    throw Error::model(links_.self_.node_id() + " received an answer that breaks the protocol between PE blocks");
  }
  links_.take_answer(*task);
  return tlm::TLM_COMPLETED;
}

void PeLinks::take_answer(CommandTask& task) {
  if (watch_ == nullptr) return on_answer(task);
  watch_->answered(task);
  watch_->call([&] { on_answer(task); });
}

void PeLinks::on_task(CommandTask& task) {
  throw Error::model(self_.node_id() + " takes no commands, but was given a " +
                     contract::command_name(task.command->kind, task.command->engine));
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
