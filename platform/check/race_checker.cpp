#include "platform/check/race_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

#include "platform/base/names.h"
#include "platform/contract/command.h"
#include "platform/contract/i_translator.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/tensor_layout.h"

namespace kb::check {

using contract::CommandKind;
using contract::RequestId;

std::size_t RaceChecker::number(const PeCoord& coord) {
  const auto [found, added] = numbers_.try_emplace(coord, pes_.size());
  if (added) {
    pes_.push_back(std::make_unique<Pe>());
    pes_.back()->coord = coord;
    pes_.back()->others = std::make_shared<const Clock>();
  }
  return found->second;
}

RaceChecker::Pe& RaceChecker::pe(const PeCoord& coord) {
  return *pes_[number(coord)];
}

void RaceChecker::join(Clock& into, const Clock& more) {
  if (into.size() < more.size()) into.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) into[i] = std::max(into[i], more[i]);
}

// The clock of a PE, including its own steps.
RaceChecker::Clock RaceChecker::clock_of(std::size_t pe) const {
  Clock clock = *pes_[pe]->others;
  if (clock.size() <= pe) clock.resize(pe + 1);
  clock[pe] = pes_[pe]->steps;
  return clock;
}

void RaceChecker::learn(Pe& pe, const Clock& more) {
  Clock joined = *pe.others;
  join(joined, more);
  if (joined != *pe.others) pe.others = std::make_shared<const Clock>(std::move(joined));
}

void RaceChecker::launch_submitted(RequestId request) {
  submitted_[request] = std::make_shared<const Clock>(host_);
}

void RaceChecker::launch_completed(RequestId request) {
  join(host_, ended_[request]);
  ended_.erase(request);
  submitted_.erase(request);
}

void RaceChecker::host_access_submitted(RequestId request, const Extent& bytes, bool writes, TimeFs now) {
  if (scratch_(bytes.pa)) return;
  auto use = std::make_shared<Use>();
  use->pe = kHost;
  use->start = now;
  use->host_request = request;
  host_accesses_[request] = {
      bytes, writes, std::move(use), {std::make_shared<const Clock>(host_), 0, nullptr, {}, nullptr}};
}

void RaceChecker::host_access_completed(RequestId request, TimeFs now) {
  const auto found = host_accesses_.find(request);
  if (found == host_accesses_.end()) return;
  const HostAccess access = std::move(found->second);
  host_accesses_.erase(found);
  access.use->end = now;
  note(access.bytes, access.writes, access.use, access.open);
}

void RaceChecker::kernel_begins(const PeCoord& coord, RequestId request,
                                std::shared_ptr<const contract::KernelLaunch> launch) {
  Pe& self = pe(coord);
  self.launch = std::make_shared<const Launch>(Launch{std::move(launch), request});
  const auto submitted = submitted_.find(request);
  if (submitted != submitted_.end()) learn(self, *submitted->second);
}

void RaceChecker::kernel_ends(const PeCoord& coord) {
  Pe& self = pe(coord);
  ++self.steps;
  join(ended_[self.launch->request], clock_of(number(coord)));
  self.open.clear();
  self.barriers = {};
}

void RaceChecker::issued(const PeCoord& coord, std::uint64_t command) {
  Pe& self = pe(coord);
  self.open[command] = {self.others, self.steps, nullptr, {}, nullptr};
}

void RaceChecker::completed(const PeCoord& coord, std::uint64_t id, const contract::Command& command,
                            const contract::ITranslator* translator, TimeFs start, TimeFs end) {
  Pe& self = pe(coord);
  const auto found = self.open.find(id);
  if (found == self.open.end()) return;
  if (command.assumed) {
    ++not_compared_;
    return;
  }
  Open& open = found->second;
  open.use = std::make_shared<Use>(Use{number(coord), command.kind, command.call, command.call_index, command.at, start,
                                       end, self.launch, 0, command.added});
  std::vector<Extent> physical;
  const auto see = [&](const std::vector<Extent>& extents, bool writes) {
    physical.clear();
    for (const Extent& extent : extents) {
      if (translator == nullptr) {
        physical.push_back(extent);
      } else if (translator->translate(extent, physical)) {
        return;  // the mapping no longer exists, and the launch fails for that reason
      }
    }
    for (const Extent& extent : physical) {
      if (scratch_(extent.pa)) continue;
      command.prefetch ? open.held.push_back(extent) : note(extent, writes, open.use, open);
    }
  };
  switch (command.kind) {
    case CommandKind::dma_read:
      see(command.memory, false);
      break;
    case CommandKind::dma_write:
      see(command.memory, true);
      break;
    case CommandKind::ipcq_send:
      see(command.local, false);
      open.use->known = self.steps;
      break;
    case CommandKind::ipcq_recv:
      see(command.local, true);
      break;
    case CommandKind::composite:
      for (const OperandRef& input : command.inputs) see(input.extents, false);
      for_each_operand(command.epilogues, [&](const OperandRef& operand) { see(operand.extents, false); });
      see(command.out.extents, true);
      break;
    default:  // works in scratch, which is the PE's alone
      break;
  }
}

void RaceChecker::waited_for(const PeCoord& coord, std::uint64_t command) {
  Pe& self = pe(coord);
  const auto found = self.open.find(command);
  if (found == self.open.end()) return;
  for (const Extent& extent : found->second.held) note(extent, false, found->second.use, found->second);
  ++self.steps;
  if (found->second.use && found->second.use->known == 0) found->second.use->known = self.steps;
  if (found->second.message) learn(self, *found->second.message);
  self.open.erase(found);
}

void RaceChecker::abandoned(const PeCoord& coord, std::uint64_t command) {
  pe(coord).open.erase(command);
}

void RaceChecker::barrier_reached(const PeCoord& coord, RequestId request, contract::BarrierScope scope) {
  reach(barrier_key(coord, request, scope), coord);
}

void RaceChecker::barrier_passed(const PeCoord& coord, RequestId request, contract::BarrierScope scope) {
  pass(barrier_key(coord, request, scope), coord);
  ++pe(coord).barriers[static_cast<std::size_t>(scope)];
}

void RaceChecker::start_reached(const PeCoord& coord, RequestId request) {
  reach({request, coord.sip, CubeId{}, kStart}, coord);
}

void RaceChecker::start_passed(const PeCoord& coord, RequestId request) {
  pass({request, coord.sip, CubeId{}, kStart}, coord);
}

void RaceChecker::reach(const BarrierKey& key, const PeCoord& coord) {
  Barrier& barrier = barriers_[key];
  ++barrier.inside;
  join(barrier.rendezvous, clock_of(number(coord)));
}

// When the first PE passes, all have arrived.
void RaceChecker::pass(const BarrierKey& key, const PeCoord& coord) {
  const auto found = barriers_.find(key);
  Barrier& barrier = found->second;
  if (!barrier.opened) barrier.opened = std::make_shared<const Clock>(std::move(barrier.rendezvous));
  Pe& self = pe(coord);
  learn(self, *barrier.opened);
  ++self.steps;
  if (--barrier.inside == 0) barriers_.erase(found);
}

RaceChecker::BarrierKey RaceChecker::barrier_key(const PeCoord& coord, RequestId request,
                                                 contract::BarrierScope scope) {
  const CubeId cube = scope == contract::BarrierScope::cube ? coord.cube : CubeId{};
  return {request, coord.sip, cube, pe(coord).barriers[static_cast<std::size_t>(scope)]};
}

// Sending is a separate step: a PE that has the message knows that its source was read.
void RaceChecker::message_sent(const PeCoord& coord, std::uint64_t slot_pa) {
  ++pe(coord).steps;
  messages_[slot_pa] = std::make_shared<const Clock>(clock_of(number(coord)));
}

void RaceChecker::message_received(const PeCoord& coord, std::uint64_t command, std::uint64_t slot_pa) {
  Pe& self = pe(coord);
  const auto open = self.open.find(command);
  const auto sent = messages_.find(slot_pa);
  if (open == self.open.end() || sent == messages_.end()) return;
  open->second.message = sent->second;
  messages_.erase(sent);
}

// Whether the earlier access had ended as far as `pe` knew when it issued the later command; for a receive, as far as
// the sender of the message knew.
bool RaceChecker::before(const Use& earlier, std::size_t pe, const Open& later) {
  if (earlier.known == 0) return false;
  const auto at = [&](const ClockPtr& clock) {
    return clock != nullptr && earlier.pe < clock->size() ? (*clock)[earlier.pe] : 0;
  };
  const std::uint64_t own = earlier.pe == pe ? later.steps : at(later.others);
  return earlier.known <= std::max(own, at(later.message));
}

// A write channel ends its stores in order; atomic additions may be executed in any order (decision 0033).
bool RaceChecker::keep_their_order(const Use& a, const Use& b) const {
  if (a.added && a.added == b.added) return true;
  return stores_keep_order_ && a.pe == b.pe && a.kind == CommandKind::dma_write && b.kind == CommandKind::dma_write;
}

bool RaceChecker::in_order(const Use& earlier, const Use& later, const Open& open) const {
  if (&earlier == &later || (earlier.host() && later.host())) return true;
  if (earlier.host()) return earlier.host_request < later.launch->request && earlier.end <= later.start;
  return before(earlier, later.pe, open) || keep_their_order(earlier, later);
}

// A plain write replaces all earlier accesses: an access that is unordered with one of them is also unordered with the
// write. An atomic addition does not, because another addition may be unordered with it but not with the earlier
// accesses.
RaceChecker::Uses RaceChecker::with_write(Uses uses, const UsePtr& use) {
  if (!use->added) return {{use}, {}};
  auto& writes = uses.writes;
  const auto replaced = [&](const UsePtr& write) { return write->pe == use->pe && write->added == use->added; };
  writes.erase(std::remove_if(writes.begin(), writes.end(), replaced), writes.end());
  writes.push_back(use);
  return uses;
}

// Removes reads that happen before this one, because they precede everything that follows it.
RaceChecker::Uses RaceChecker::with_read(Uses uses, const UsePtr& use, const Open& open) {
  auto& reads = uses.reads;
  const auto is_before = [&](const UsePtr& read) {
    return read->host() ? use->host() && read->host_request <= use->host_request : before(*read, use->pe, open);
  };
  reads.erase(std::remove_if(reads.begin(), reads.end(), is_before), reads.end());
  reads.push_back(use);
  return uses;
}

void RaceChecker::note(const Extent& bytes, bool writes, const UsePtr& use, const Open& open) {
  struct Piece {
    std::uint64_t begin, end;
    Uses uses;
  };
  const std::uint64_t end = bytes.pa + bytes.nbytes;
  std::vector<Piece> pieces;
  std::uint64_t at = bytes.pa;
  memory_.for_each(bytes.pa, end, [&](std::uint64_t from, std::uint64_t to, const Uses& uses) {
    if (at < from) pieces.push_back({at, from, {}});
    pieces.push_back({from, to, uses});
    at = to;
    return true;
  });
  if (at < end) pieces.push_back({at, end, {}});
  for (Piece& piece : pieces) {
    for (const UsePtr& write : piece.uses.writes) {
      if (!in_order(*write, *use, open)) report(*write, true, *use, writes, piece.begin, piece.end);
    }
    for (const UsePtr& read : piece.uses.reads) {
      if (writes && !in_order(*read, *use, open)) report(*read, false, *use, true, piece.begin, piece.end);
    }
    Uses uses = std::move(piece.uses);
    memory_.assign(piece.begin, piece.end,
                   writes ? with_write(std::move(uses), use) : with_read(std::move(uses), use, open));
  }
}

std::string RaceChecker::call_text(const Use& use, bool writes) const {
  if (use.host()) {
    return fmt::format("{} by the host ({} to {} ns)", writes ? "written" : "read", format_ns(use.start),
                       format_ns(use.end));
  }
  return fmt::format("{} by {} of kernel {} on {} ({} to {} ns, launch #{})", writes ? "written" : "read",
                     contract::call_text(use.call, use.call_index, use.at), use.launch->launch->name(),
                     pe_name(pes_[use.pe]->coord), format_ns(use.start), format_ns(use.end), use.launch->request);
}

// "bytes 0 to 127 of tensor 'c'" for an argument of the launch; `tensor` gets its name.
std::string RaceChecker::place_text(const Use& use, std::uint64_t pa, std::uint64_t end, std::string& tensor) {
  for (const contract::KernelArg& argument : use.launch->launch->args) {
    const auto* const layout = std::get_if<std::shared_ptr<const contract::TensorLayout>>(&argument);
    if (layout == nullptr || *layout == nullptr) continue;
    for (const contract::Shard& shard : (*layout)->shards) {
      if (pa < shard.pa || pa >= shard.pa + shard.nbytes) continue;
      const std::uint64_t first = shard.offset_bytes + (pa - shard.pa);
      tensor = (*layout)->name;
      return fmt::format("bytes {} to {} of tensor '{}' (in the memory of {})", first,
                         first + std::min(end, shard.pa + shard.nbytes) - pa - 1, tensor, pe_name(shard.owner));
    }
  }
  return fmt::format("{} bytes at physical address {:#x}", end - pa, pa);
}

std::string RaceChecker::name_of(const Use& use) {
  return use.host() ? "host" : fmt::format("{}\t{}", use.call, use.launch->launch->kernel);
}

void RaceChecker::report(const Use& earlier, bool earlier_writes, const Use& later, bool later_writes, std::uint64_t pa,
                         std::uint64_t end) {
  std::string tensor;
  const std::string place = place_text(later.host() ? earlier : later, pa, end, tensor);
  const std::string key =
      fmt::format("{}\t{}\t{}\t{}\t{}", tensor, name_of(earlier), earlier_writes, name_of(later), later_writes);
  const auto [known, added] = known_races_.try_emplace(key, races_.size());
  if (!added) {
    ++races_[known->second].pairs;
    return;
  }
  races_.push_back({fmt::format("{} are {} and {}: no message, wait, barrier or launch puts these into an order", place,
                                call_text(earlier, earlier_writes), call_text(later, later_writes)),
                    1});
}

}  // namespace kb::check
