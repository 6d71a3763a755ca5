#include "sw/distributed/wiring.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "platform/base/error.h"
#include "platform/base/names.h"

namespace kb::sw {
namespace {

Error wiring_error(const std::string& message) {
  return Error::program("WIRING_ERROR", message);
}

// The known labels in the order of their namespaces; other labels follow in the order of appearance.
std::vector<std::string> direction_list(const std::vector<NeighbourTable>& tables) {
  std::vector<std::string> in_use;
  std::set<std::string> seen;
  for (const NeighbourTable& table : tables) {
    for (const Neighbour& neighbour : table) {
      if (seen.insert(neighbour.direction).second) in_use.push_back(neighbour.direction);
    }
  }
  std::vector<std::string> list;
  for (const char* known : {"N", "S", "E", "W", "global_N", "global_S", "global_E", "global_W", "intra_N", "intra_S",
                            "intra_E", "intra_W", "parent", "child_l", "child_r"}) {
    if (seen.erase(known) != 0) list.push_back(known);
  }
  for (const std::string& label : in_use) {
    if (seen.count(label) != 0) list.push_back(label);
  }
  return list;
}

std::vector<NeighbourTable> checked_tables(const std::vector<PeCoord>& ranks, const NeighbourFunction& neighbours_of) {
  std::set<PeCoord> taken;
  std::vector<NeighbourTable> tables;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (!taken.insert(ranks[r]).second) {
      throw wiring_error(fmt::format("rank {}: {} is another rank already", r, pe_name(ranks[r])));
    }
    tables.push_back(neighbours_of(static_cast<int>(r)));
    std::set<std::string> labels;
    for (const Neighbour& n : tables.back()) {
      if (n.direction.empty()) throw wiring_error(fmt::format("rank {}: a direction has no label", r));
      if (!labels.insert(n.direction).second) {
        throw wiring_error(fmt::format("rank {}: two neighbours under the label '{}'", r, n.direction));
      }
      if (n.rank < 0 || static_cast<std::size_t>(n.rank) >= ranks.size()) {
        throw wiring_error(fmt::format("rank {}: '{}' leads to rank {}, but there are {} ranks (0 to {})", r,
                                       n.direction, n.rank, ranks.size(), ranks.size() - 1));
      }
      if (static_cast<std::size_t>(n.rank) == r) {
        throw wiring_error(fmt::format("rank {}: '{}' leads to the rank itself", r, n.direction));
      }
    }
  }
  return tables;
}

Flow mirrored(Flow flow) {
  if (flow == Flow::send_only) return Flow::receive_only;
  return flow == Flow::receive_only ? Flow::send_only : Flow::both;
}

const Neighbour& entry(const NeighbourTable& table, const std::string& direction) {
  return *std::find_if(table.begin(), table.end(), [&](const Neighbour& n) { return n.direction == direction; });
}

// The label that pairs with `neighbour` of rank `me` when the pairing is mutual; no value when no label leads
// back.
std::optional<std::string> paired(const std::vector<NeighbourTable>& tables, int me, const Neighbour& neighbour) {
  const NeighbourTable& peer = tables[static_cast<std::size_t>(neighbour.rank)];
  const std::optional<std::string> back = reverse_direction(peer, me, neighbour.direction, neighbour.flow);
  if (!back) return back;
  const NeighbourTable& mine = tables[static_cast<std::size_t>(me)];
  const std::optional<std::string> here = reverse_direction(mine, neighbour.rank, *back, entry(peer, *back).flow);
  if (*here == neighbour.direction) return back;
  throw wiring_error(
      fmt::format("rank {}: '{}' and '{}' would both share the end '{}' of rank {}; give rank {} one label for each, "
                  "under names that are opposites of each other",
                  me, neighbour.direction, *here, *back, neighbour.rank, neighbour.rank));
}

Wiring paired_tables(const std::vector<PeCoord>& ranks, const std::vector<NeighbourTable>& tables) {
  Wiring wiring;
  wiring.directions = direction_list(tables);
  std::map<std::string, std::size_t> index;
  for (std::size_t d = 0; d < wiring.directions.size(); ++d) index[wiring.directions[d]] = d;

  struct End {
    const Neighbour* neighbour;
    std::string back;
  };
  std::vector<std::map<std::size_t, End>> ends(ranks.size());  // by direction
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (const Neighbour& n : tables[r]) {
      if (const auto back = paired(tables, static_cast<int>(r), n)) {
        ends[r].emplace(index.at(n.direction), End{&n, *back});
      } else {
        wiring.left_out.push_back(fmt::format("rank {} '{}' -> {}", r, n.direction, n.rank));
      }
    }
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    WiredRank rank{ranks[r], {}};
    for (const auto& [direction, end] : ends[r]) {
      const auto peer = static_cast<std::size_t>(end.neighbour->rank);
      const auto at = static_cast<std::size_t>(std::distance(ends[peer].begin(), ends[peer].find(index.at(end.back))));
      WiredLink link{direction, std::nullopt, end.neighbour->flow != Flow::send_only};
      if (end.neighbour->flow != Flow::receive_only) link.send_to = WiredEnd{peer, at};
      rank.links.push_back(link);
    }
    wiring.ranks.push_back(std::move(rank));
  }
  return wiring;
}

}  // namespace

std::optional<std::string> reverse_direction(const NeighbourTable& peer_table, int me, const std::string& direction,
                                             Flow flow) {
  const std::string opposite = opposite_direction(direction);
  std::optional<std::string> first;
  for (const Neighbour& neighbour : peer_table) {
    if (neighbour.rank != me || neighbour.flow != mirrored(flow)) continue;
    if (neighbour.direction == opposite) return opposite;
    if (!first) first = neighbour.direction;
  }
  return first;
}

Wiring wire(const std::vector<PeCoord>& ranks, const NeighbourFunction& neighbours_of) {
  return paired_tables(ranks, checked_tables(ranks, neighbours_of));
}

}  // namespace kb::sw
