// Checks that a plan of message queues is consistent.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "platform/address/address_config.h"
#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/contract/queues.h"
#include "sw/distributed/queue_plan.h"

namespace kb::sw {
namespace {

using contract::QueuePair;
using contract::QueueRing;

struct End {
  const PeCoord* pe = nullptr;
  const QueuePair* pair = nullptr;

  std::string text() const { return fmt::format("{} '{}'", pe_name(*pe), pair->direction); }
};

Error broken(const std::string& message) {
  return Error::model("the plan of message queues is broken: " + message);
}

bool same_ring(const QueueRing& a, const QueueRing& b) {
  return a.base_pa == b.base_pa && a.owner == b.owner && a.memory == b.memory && a.n_slots == b.n_slots &&
         a.slot_size == b.slot_size;
}

std::string ring_text(const QueueRing& ring) {
  return fmt::format("[{:#x}, {:#x})", ring.base_pa, ring.base_pa + ring.nbytes());
}

// kind and owner follow from the address, and the whole ring is implemented memory.
void check_place(const End& end, const QueueRing& ring, const address::AddressConfig& config) {
  if (ring.n_slots == 0 || ring.slot_size == 0) throw broken(fmt::format("{} has an empty ring", end.text()));
  if (address::decode_fields(ring.base_pa).fault != address::AddressFault::none) {
    throw broken(fmt::format("{} has its ring at {:#x}, which is not an address", end.text(), ring.base_pa));
  }
  const address::PhysAddr at = address::PhysAddr::decode(ring.base_pa);
  const bool kind = ring.memory == QueueMemory::tcm   ? at.is_tcm()
                    : ring.memory == QueueMemory::hbm ? at.is_hbm()
                                                      : at.is_sram();
  bool owned = kind && at.sip() == end.pe->sip && at.cube() == end.pe->cube && ring.owner == *end.pe;
  if (owned && ring.memory == QueueMemory::tcm) owned = at.pe() == end.pe->pe;
  if (owned && ring.memory == QueueMemory::hbm) {
    owned = at.offset() / config.hbm_slice_bytes == end.pe->pe.value &&
            (at.offset() + ring.nbytes() - 1) / config.hbm_slice_bytes == end.pe->pe.value;
  }
  if (!owned) {
    throw broken(
        fmt::format("{} has its ring at {}, which is not its {}", end.text(), at.to_string(), name_of(ring.memory)));
  }
  if (const auto problem = config.capacity_problem(at, ring.nbytes())) {
    throw broken(fmt::format("ring of {}: {}", end.text(), *problem));
  }
  if (at.is_tcm() && at.offset() + ring.nbytes() > config.tcm_allocatable_bytes()) {
    throw broken(fmt::format("the ring of {} reaches into the kernels' part of the TCM", end.text()));
  }
}

// All own rings, sorted by address.
std::vector<End> rings_in_order(const contract::QueuePlan& plan, const address::AddressConfig& config) {
  std::vector<End> readers;
  const PeCoord* before = nullptr;
  for (const contract::PeQueues& queues : plan.pes) {
    if (before != nullptr && !(*before < queues.pe)) {
      throw broken(fmt::format("{} comes after {}", pe_name(queues.pe), pe_name(*before)));
    }
    before = &queues.pe;
    std::set<std::string> labels;
    for (const QueuePair& pair : queues.pairs) {
      const End end{&queues.pe, &pair};
      if (!labels.insert(pair.direction).second) throw broken(end.text() + " is there twice");
      if (!pair.own) continue;
      check_place(end, *pair.own, config);
      readers.push_back(end);
    }
  }
  std::sort(readers.begin(), readers.end(),
            [](const End& a, const End& b) { return a.pair->own->base_pa < b.pair->own->base_pa; });
  return readers;
}

void check_disjoint(const std::vector<End>& readers) {
  for (std::size_t i = 1; i < readers.size(); ++i) {
    const QueueRing& first = *readers[i - 1].pair->own;
    const QueueRing& second = *readers[i].pair->own;
    if (second.base_pa - first.base_pa >= first.nbytes()) continue;
    throw broken(fmt::format("the rings of {} {} and {} {} meet", readers[i - 1].text(), ring_text(first),
                             readers[i].text(), ring_text(second)));
  }
}

// the ring to which `sender` writes is read by an end that, if it writes, writes to the sender's own ring.
void check_sender(const End& sender, const std::vector<End>& readers, std::vector<const End*>& sender_of) {
  const QueueRing& ring = *sender.pair->peer;
  const auto found = std::lower_bound(readers.begin(), readers.end(), ring.base_pa,
                                      [](const End& end, std::uint64_t base) { return end.pair->own->base_pa < base; });
  if (found == readers.end() || !same_ring(*found->pair->own, ring)) {
    throw broken(
        fmt::format("{} sends to {} {}, which nobody reads", sender.text(), pe_name(ring.owner), ring_text(ring)));
  }
  if (found->pair == sender.pair) throw broken(sender.text() + " sends to its own ring");
  const End*& known = sender_of[static_cast<std::size_t>(found - readers.begin())];
  if (known != nullptr) {
    throw broken(
        fmt::format("{} and {} send to the same ring, that of {}", known->text(), sender.text(), found->text()));
  }
  known = &sender;
  const auto& answer = found->pair->peer;
  const auto& own = sender.pair->own;
  if (answer.has_value() == own.has_value() && (!own || same_ring(*answer, *own))) return;
  throw broken(fmt::format("{} sends to {}, which does not send back to it", sender.text(), found->text()));
}

}  // namespace

void verify_queue_plan(const contract::QueuePlan& plan, const contract::MachineInfo& machine) {
  const address::AddressConfig config = address_config(machine);
  const std::vector<End> readers = rings_in_order(plan, config);
  check_disjoint(readers);
  std::vector<End> senders;
  for (const contract::PeQueues& queues : plan.pes) {
    for (const QueuePair& pair : queues.pairs) {
      if (!pair.own && !pair.peer) throw broken(End{&queues.pe, &pair}.text() + " leads nowhere");
      if (pair.peer) senders.push_back({&queues.pe, &pair});
    }
  }
  std::vector<const End*> sender_of(readers.size(), nullptr);
  for (const End& sender : senders) check_sender(sender, readers, sender_of);
  for (std::size_t i = 0; i < readers.size(); ++i) {
    if (sender_of[i] == nullptr) throw broken("nobody sends to the ring of " + readers[i].text());
  }
}

}  // namespace kb::sw
