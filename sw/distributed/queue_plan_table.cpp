// Formats a plan of message queues as text.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "platform/address/phys_addr.h"
#include "platform/base/names.h"
#include "platform/contract/queues.h"
#include "sw/distributed/queue_plan.h"

namespace kb::sw {
namespace {

using Row = std::array<std::string, 4>;

std::string own_text(const std::optional<contract::QueueRing>& ring) {
  if (!ring) return "-";
  return fmt::format("{:#x} {}", ring->base_pa, address::PhysAddr::decode(ring->base_pa).to_string());
}

// An SRAM address does not identify the PE, so that the PE is named as well.
std::string peer_text(const std::optional<contract::QueueRing>& ring) {
  return ring ? fmt::format("{}: {}", pe_name(ring->owner), own_text(ring)) : "-";
}

}  // namespace

std::string queue_plan_table(const contract::QueuePlan& plan) {
  std::vector<Row> rows{{"PE", "direction", "own ring", "peer ring"}};
  for (const contract::PeQueues& queues : plan.pes) {
    for (const contract::QueuePair& pair : queues.pairs) {
      rows.push_back({pe_name(queues.pe), pair.direction, own_text(pair.own), peer_text(pair.peer)});
    }
  }
  std::array<std::size_t, 4> width{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("{:<{}}  {:<{}}  {:<{}}  {}\n", row[0], width[0], row[1], width[1], row[2], width[2], row[3]);
  }
  return text;
}

}  // namespace kb::sw
