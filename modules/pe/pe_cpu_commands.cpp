// Commands of a running kernel: issue and wait.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "modules/pe/pe_cpu.h"
#include "platform/base/error.h"
#include "platform/contract/command.h"
#include "platform/contract/i_operation_sink.h"
#include "platform/contract/i_order_observer.h"
#include "platform/contract/i_pe.h"
#include "platform/contract/i_translator.h"
#include "platform/contract/kernel_launch.h"
#include "platform/elab/route_table.h"
#include "platform/payload/messages.h"

namespace kb::modules {

using contract::CommandKind;
using contract::LogLevel;

void PeCpu::execute(const contract::Command& command) {
  if (command.kind == CommandKind::cpu_overhead) {
    spend(command);
    return;
  }
  if (command.kind == CommandKind::barrier) {
    meet(command);
    return;
  }
  if (waits_not(command.place)) {
    submit(command);  // waited for at the end of the kernel
    return;
  }
  set_current(command);
  count_call();
  set_state(State::waiting_for_engine);
  await(send_command(command), command.place);
}

std::string PeCpu::receive(const contract::Command& command) {
  set_current(command);
  count_call();
  set_state(State::waiting_for_engine);
  return await(send_command(command), command.place);
}

contract::IPe::Ticket PeCpu::submit(const contract::Command& command) {
  set_current(command);
  count_call();
  current_.reset();
  if (free_background_.empty()) free_background_.push_back(std::make_unique<Background>());
  background_.push_back(std::move(free_background_.back()));
  free_background_.pop_back();
  Background& background = *background_.back();
  background.ticket = next_ticket_++;
  background.command = command;
  background.task = &send_command(background.command);
  return background.ticket;
}

// Returns background_.end() when the kernel has already waited for the command.
PeCpu::Backgrounds::iterator PeCpu::find_async_command(Ticket ticket) {
  const auto found =
      std::lower_bound(background_.begin(), background_.end(), ticket,
                       [](const auto& background, Ticket wanted) { return background->ticket < wanted; });
  return found != background_.end() && (*found)->ticket == ticket ? found : background_.end();
}

PeCpu::Backgrounds::iterator PeCpu::background(Ticket ticket) {
  const auto found = find_async_command(ticket);
  if (found != background_.end()) return found;
  throw Error::model("a kernel waits for a command that it has not submitted");
}

void PeCpu::abandon(Ticket ticket) {
  const auto found = find_async_command(ticket);
  if (found != background_.end() && order() != nullptr) order()->abandoned(info_.coord, (*found)->task->id);
}

void PeCpu::wait(Ticket ticket, account::PlaceId at) {
  const auto awaited = background(ticket);
  if (waits_not(at) || waits_not((*awaited)->command.place)) return;
  wait_for_async(awaited, at);
}

// The command is removed from the list first, because it is finished even when it has failed.
void PeCpu::wait_for_async(Backgrounds::iterator which, account::PlaceId at) {
  free_background_.push_back(std::move(*which));
  background_.erase(which);
  Background& background = *free_background_.back();
  set_current(background.command);
  count_call();
  set_state(State::waiting_for_engine);
  await(*background.task, at);
}

std::size_t PeCpu::wait_any(const std::vector<Ticket>& tickets, account::PlaceId at) {
  std::vector<const CommandTask*> tasks;
  tasks.reserve(tickets.size());
  for (const Ticket ticket : tickets) tasks.push_back((*background(ticket))->task);
  set_current(*tasks.at(0)->command);
  count_call();
  set_state(State::waiting_for_engine);
  std::size_t done = 0;
  const auto find_done = [&] {
    const auto completed = [](const CommandTask* task) { return task->state == CommandState::completed; };
    done = static_cast<std::size_t>(std::find_if(tasks.begin(), tasks.end(), completed) - tasks.begin());
    return done < tasks.size();
  };
  awaits_any_ = true;
  while (!find_done()) wait_for(resumed_event_);
  awaits_any_ = false;
  charge(at, tasks[done]->command->place);
  set_state(State::running);
  current_.reset();
  return done;
}

std::vector<Extent> PeCpu::physical(const std::vector<Extent>& extents) const {
  if (translator() == nullptr) return extents;
  std::vector<Extent> found;
  for (const Extent& extent : extents) {
    if (translator()->translate(extent, found)) found.push_back(extent);
  }
  return found;
}

CommandTask& PeCpu::send_command(const contract::Command& command) {
  CommandTask& task = commands_.acquire(command);
  task.submitted = now();
  if (order() != nullptr) order()->issued(info_.coord, task.id);
  log(LogLevel::info, [&] {
    std::uint64_t bytes = 0;
    for (const Extent& extent : command.local) bytes += extent.nbytes;
    return fmt::format("issues {}, {}{}", text_of(task), contract::command_name(command.kind, command.engine),
                       bytes > 0 ? " of " + format_bytes(bytes) : "");
  });
  if (contract::is_queue(command.kind)) {
    send(topology::NodeKind::pe_ipcq, task);
  } else if (is_supposed_away(command.place)) {
    task.state = CommandState::completed;
  } else {
    send(topology::NodeKind::pe_scheduler, task);
  }
  return task;
}

// Blocks until the current command has completed, and records its times. Returns the direction that served a receive.
std::string PeCpu::await(CommandTask& task, account::PlaceId at) {
  awaited_ = &task;
  while (task.state != CommandState::completed) wait_for(resumed_event_);
  awaited_ = nullptr;
  charge(at, task.held_by == account::PlaceId{} ? task.command->place : task.held_by);
  log(LogLevel::info, [&] { return "continues after " + text_of(task); });
  set_state(State::running);
  accumulate(result_.dma, task.dma);
  accumulate(result_.compute, task.compute);
  accumulate(result_.macs, task.macs);
  accumulate(result_.useful_macs, task.useful_macs);
  current_.reset();
  if (order() != nullptr) order()->waited_for(info_.coord, task.id);
  payload::Status failure;
  if (!task.status.ok) failure = task.status;
  std::string served(task.served);
  commands_.release(task);
  if (!failure.ok) throw Error::program(failure.code, failure.message + tensor_at(failure.fault_address));
  return served;
}

// Sends a barrier message and waits for its answer.
PeCpu::BarrierAnswer PeCpu::come_to(const payload::BarrierMsg& barrier, account::PlaceId place) {
  const NodeId m_cpu = context().routes.resolver().find_m_cpu(info_.coord.sip, info_.coord.cube);
  payload::Transaction& transaction =
      context().pool.acquire(payload::Op::message, context().routes.command(node(), m_cpu), 0, 0);
  transaction.place = place;
  transaction.message = payload::share(barrier);
  barrier_ = &transaction;
  issue(transaction, now() + overhead());
  while (barrier_ != nullptr) wait_for(resumed_event_);
  BarrierAnswer answer{transaction.status};
  if (const auto* reply = std::get_if<payload::BarrierMsg>(transaction.reply.get())) answer.start = reply->start;
  context().pool.release(transaction);
  return answer;
}

// P-51a: no kernel of a queued launch begins before those of the launches before it have ended. Returns its start
// stamp.
TimeFs PeCpu::meet_before(const payload::KernelLaunchMsg& launch_message) {
  const contract::StartBarrier& barrier = *launch_message.launch->start_barrier;
  set_state(State::waiting_for_start);
  if (order() != nullptr) order()->start_reached(info_.coord, launch_message.request);
  const std::shared_ptr<const std::vector<CubeId>> cubes(launch_message.launch, &barrier.cubes);
  const BarrierAnswer answer = come_to({launch_message.request, contract::BarrierScope::sip, barrier.pes.size(),
                                        barrier.cubes.size(), info_.coord, cubes, now()},
                                       {});
  if (!answer.status.ok) throw Error::model(node_id() + ": a start barrier failed: " + answer.status.message);
  if (order() != nullptr) order()->start_passed(info_.coord, launch_message.request);
  return answer.start;
}

void PeCpu::meet(const contract::Command& command) {
  set_current(command);
  count_call();
  const contract::KernelLaunch& launch = *message(launches_.front()).launch;
  log(LogLevel::info, [&] {
    return fmt::format("comes to a barrier of its {}, tl.{} #{}", contract::barrier_scope_name(command.scope),
                       command.call, command.call_index);
  });
  const TimeFs start = now();
  if (order() != nullptr) order()->barrier_reached(info_.coord, pe().launch, command.scope);
  set_state(State::waiting_for_engine);
  const payload::Status status =
      come_to({pe().launch, command.scope, launch.pes.size(), launch.cubes.size(), info_.coord}, command.place).status;
  charge(command.place, command.place);
  set_state(State::running);
  current_.reset();
  if (!status.ok) throw Error::program(status.code, status.message);
  if (order() != nullptr) order()->barrier_passed(info_.coord, pe().launch, command.scope);
  if (context().operations != nullptr) context().operations->on_command(node(), command, nullptr, start, now());
}

}  // namespace kb::modules
