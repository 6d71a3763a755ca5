#include "kernels/tl/in_flight.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kb::tl {
namespace {

using contract::Command;
using contract::CommandKind;

template <typename See>
void see_all(const std::vector<Extent>& extents, bool writes, const See& see) {
  for (const Extent& extent : extents) see(extent, writes);
}

// Calls see(extent, writes) for the scratch and messages that a command uses, not for the memory of loads, stores and
// composites; messages may also be sent from and received into memory.
template <typename See>
void visit(const Command& command, const See& see) {
  switch (command.kind) {
    case CommandKind::dma_read:
    case CommandKind::ipcq_recv:
      return see_all(command.local, true, see);
    case CommandKind::dma_write:
    case CommandKind::ipcq_send:
      return see_all(command.local, false, see);
    default:
      break;
  }
  const bool composite = contract::is_composite(command.kind);
  if (!composite && !contract::engine_of(command)) return;
  for (std::size_t i = 0; i < command.inputs.size(); ++i) {
    if (!composite || command.pinned.at(i)) see_all(command.inputs[i].extents, false, see);
  }
  for (const kb::Epilogue& epilogue : command.epilogues) {
    for (std::size_t i = 0; i < kEpilogueInputs; ++i) {
      const bool here = epilogue.input(i) && !epilogue.in_memory.at(i);
      if (here) see_all(epilogue.input(i)->extents, false, see);
    }
  }
  if (!composite || command.out_pinned) see_all(command.out.extents, true, see);
  if (command.positions) see_all(command.positions->extents, true, see);
}

}  // namespace

const std::vector<Extent>* memory_written_by(const Command& command) {
  switch (command.kind) {
    case CommandKind::dma_write:
      return &command.memory;
    case CommandKind::ipcq_recv:
      return &command.local;
    case CommandKind::composite:
      return command.out_pinned ? nullptr : &command.out.extents;
    default:
      return nullptr;
  }
}

std::string InFlight::Operation::name() const {
  return contract::call_text(call, call_index, at);
}

InFlight::Operation& InFlight::add(const Command& command, contract::IPe::Ticket ticket, bool has_result) {
  if (spare_.empty()) spare_.emplace_back();
  open_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  Operation& operation = open_.back();
  operation.number = ++started_;
  operation.ticket = ticket;
  operation.call = command.call;
  operation.call_index = command.call_index;
  operation.at = command.at;
  operation.has_result = has_result;
  operation.is_prefetch = false;
  if (const std::vector<Extent>* const memory = memory_written_by(command)) operation.memory = *memory;
  visit(command, [&](const Extent& bytes, bool writes) {
    if (local(bytes)) operation.uses.push_back({bytes, writes});
  });
  return operation;
}

const InFlight::Operation* InFlight::find(std::uint64_t number) const {
  const auto found =
      std::lower_bound(open_.begin(), open_.end(), number,
                       [](const Operation& operation, std::uint64_t wanted) { return operation.number < wanted; });
  return found != open_.end() && found->number == number ? &*found : nullptr;
}

void InFlight::remove(std::uint64_t number) {
  const Operation* const operation = find(number);
  if (operation == nullptr) return;
  const auto at = open_.begin() + (operation - open_.data());
  at->uses.clear();
  at->memory.clear();
  spare_.push_back(std::move(*at));
  open_.erase(at);
}

const InFlight::Operation* InFlight::conflict(const Extent& bytes, bool writes) const {
  for (const Operation& operation : open_) {
    for (const Use& use : operation.uses) {
      if (!writes && !use.writes) continue;
      if (bytes.pa < use.bytes.pa + use.bytes.nbytes && use.bytes.pa < bytes.pa + bytes.nbytes) return &operation;
    }
  }
  return nullptr;
}

const InFlight::Operation* InFlight::conflict(const Command& command) const {
  const Operation* found = nullptr;
  visit(command, [&](const Extent& bytes, bool writes) {
    if (found == nullptr) found = conflict(bytes, writes);
  });
  return found;
}

}  // namespace kb::tl
