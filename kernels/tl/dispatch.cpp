#include "kernels/tl/dispatch.h"

#include <fmt/format.h>

#include <utility>

#include "kernels/tl/prefetches.h"
#include "platform/contract/command.h"

namespace kb::tl {

using contract::Command;

Dispatch::Dispatch(contract::IPe& pe, Call& call, Prefetches& prefetches)
    : pe_(pe),
      call_(call),
      prefetches_(prefetches),
      in_flight_({pe.info().scratch_pa, pe.info().scratch_bytes}, {pe.info().message_base, pe.info().message_bytes}) {
  overhead_.kind = contract::CommandKind::cpu_overhead;
  overhead_.cycles = pe.info().dispatch_cycles;
}

void Dispatch::announce(Command& command) {
  call_.label(command);
  if (!prefetches_.empty()) prefetches_.drop_for(command);
  if (!in_flight_.empty()) check_apart(command);
}

void Dispatch::execute(Command& command) {
  announce(command);
  call_.located([&] { pe_.execute(command); });
}

std::string Dispatch::receive(Command& command) {
  announce(command);
  return call_.located([&] { return pe_.receive(command); });
}

Future Dispatch::submit(Command& command, TensorHandle result) {
  announce(command);
  Future future;
  const contract::IPe::Ticket ticket = call_.located([&] { return pe_.submit(command); });
  future.number_ = in_flight_.add(command, ticket, !result.null()).number;
  future.value_ = std::move(result);
  future.context_id_ = call_.instance();
  future.call_ = call_.name();
  future.call_index_ = call_.number();
  return future;
}

void Dispatch::prefetch(Ptr ptr, std::int64_t row_stride, Work&& load) {
  load.command.prefetch = true;
  Prefetches::Prefetch prefetch = prefetches_.of(ptr, row_stride, load.command.memory);
  prefetch.future = submit(load.command);
  InFlight::Operation& operation = in_flight_.back();
  operation.is_prefetch = true;
  prefetch.ticket = operation.ticket;
  prefetch.result = std::move(load.result);
  prefetches_.add(std::move(prefetch), in_flight_);
}

void Dispatch::reclaim(const Extent& scratch) {
  const InFlight::Operation* other = in_flight_.conflict(scratch, true);
  for (; other != nullptr && other->is_prefetch; other = in_flight_.conflict(scratch, true)) finish_prefetch(*other);
}

// The prefetch's scope has ended, so that no load can take it.
void Dispatch::finish_prefetch(const InFlight::Operation& prefetch) {
  pe_.abandon(prefetch.ticket);
  take(prefetch);
}

// Requires that the command reads no scratch that another operation writes, and writes none that another one uses.
void Dispatch::check_apart(const Command& command) {
  const InFlight::Operation* other = in_flight_.conflict(command);
  for (; other != nullptr && other->is_prefetch; other = in_flight_.conflict(command)) finish_prefetch(*other);
  if (other == nullptr) return;
  call_.raise("KERNEL_ERROR",
              fmt::format("it uses scratch that {}, which was not waited for, is still working on; tl.wait for that "
                          "call first",
                          other->name()));
}

// Null when wait_for_all() has already waited for it.
const InFlight::Operation* Dispatch::unfinished(const Future& future) const {
  if (future.context_id_ == 0) {
    call_.raise("KERNEL_ERROR", "the future is empty; assign it what an asynchronous call or tl.composite returns");
  }
  if (future.context_id_ != call_.instance()) {
    call_.raise("KERNEL_ERROR", "the future belongs to another kernel instance");
  }
  const InFlight::Operation* const operation = in_flight_.find(future.number_);
  if (operation == nullptr && future.number_ > waited_for_all_) {
    call_.raise("KERNEL_ERROR", fmt::format("tl.{} #{} was waited for before; keep what the first tl.wait gave",
                                            future.call_, future.call_index_));
  }
  return operation;
}

// Removed first, because a failed operation has ended, too.
void Dispatch::take(const InFlight::Operation& operation) {
  const contract::IPe::Ticket ticket = operation.ticket;
  in_flight_.remove(operation.number);
  call_.located([&] { pe_.wait(ticket, call_.place()); });
}

TensorHandle Dispatch::wait(const Future& future) {
  if (const InFlight::Operation* const operation = unfinished(future)) take(*operation);
  return future.value_;
}

void Dispatch::wait_for_all() {
  prefetches_.drop_all();
  waited_for_all_ = in_flight_.started();
  while (!in_flight_.empty()) take(in_flight_.open().front());
}

std::size_t Dispatch::wait_any(const std::vector<Future>& futures) {
  if (futures.empty()) call_.raise("KERNEL_ERROR", "there is nothing to wait for; give at least one future");
  std::vector<contract::IPe::Ticket> tickets;
  tickets.reserve(futures.size());
  for (const Future& future : futures) {
    const InFlight::Operation* const operation = unfinished(future);
    if (operation == nullptr) return tickets.size();
    tickets.push_back(operation->ticket);
  }
  return call_.located([&] { return pe_.wait_any(tickets, call_.place()); });
}

void Dispatch::require_waited() const {
  for (const InFlight::Operation& operation : in_flight_.open()) {
    if (!operation.has_result) continue;
    call_.fail(
        fmt::format("{} was never waited for: its result cannot be used; give its future to tl.wait, or tl.wait() for "
                    "all",
                    operation.name()));
  }
}

}  // namespace kb::tl
