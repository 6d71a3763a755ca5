// The wiring of a list of user-defined links (K-5a).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/names.h"
#include "sw/distributed/wiring.h"

namespace kb::sw {
namespace {

using topology::CclLink;
using topology::PePattern;

[[noreturn]] void refuse(const CclLink& link, const std::string& message, const std::string& remedy) {
  Diagnostic problem = link.place;
  problem.message = message;
  problem.remedy = remedy;
  throw Error({problem});
}

void check_size(const CclLink& link, const PePattern& pattern, const contract::MachineInfo& machine) {
  const std::pair<const char*, int> levels[] = {
      {"SIP", machine.sips}, {"cube", machine.cubes_per_sip}, {"PE", machine.pes_per_cube}};
  for (std::size_t i = 0; i < pattern.places.size(); ++i) {
    const auto& [what, count] = levels[i];
    if (!pattern.places[i] || *pattern.places[i] < count) continue;
    refuse(link, fmt::format("there is no {} {} in this machine", what, *pattern.places[i]),
           fmt::format("the last one is {}", count - 1));
  }
}

// One end of a link in the table of its PE.
struct LinkEnd {
  PeCoord peer;
  std::string back;  // label at the peer
  bool sends = false, receives = false;
  const CclLink* link = nullptr;
};

class LinkEnds {
 public:
  void add(const PeCoord& pe, const std::string& label, const LinkEnd& end) {
    if (directions_.emplace(label, directions_.size()).second) labels_.push_back(label);
    const auto [at, added] = of_[pe].emplace(directions_.at(label), end);
    if (added) return;
    refuse(*end.link,
           fmt::format("{} has two links under the label '{}', to {} and to {}", pe_name(pe), label,
                       pe_name(at->second.peer), pe_name(end.peer)),
           "give each link of a PE a label of its own");
  }

  Wiring wiring() const {
    Wiring wiring;
    wiring.directions = labels_;
    std::map<PeCoord, std::size_t> rank_of;
    for (const auto& [pe, ends] : of_) rank_of.emplace(pe, rank_of.size());
    for (const auto& [pe, ends] : of_) {
      WiredRank rank{pe, {}};
      for (const auto& [direction, end] : ends) {
        WiredLink link{direction, std::nullopt, end.receives};
        if (end.sends) link.send_to = WiredEnd{rank_of.at(end.peer), place(end.peer, end.back)};
        rank.links.push_back(link);
      }
      wiring.ranks.push_back(std::move(rank));
    }
    return wiring;
  }

 private:
  std::size_t place(const PeCoord& pe, const std::string& label) const {
    const auto& ends = of_.at(pe);
    return static_cast<std::size_t>(std::distance(ends.begin(), ends.find(directions_.at(label))));
  }

  std::vector<std::string> labels_;  // in the order of the list
  std::map<std::string, std::size_t> directions_;
  std::map<PeCoord, std::map<std::size_t, LinkEnd>> of_;  // by direction
};

// The PE of a pattern, where '*' takes the value of `any`.
PeCoord pe_of(const PePattern& pattern, const PeCoord& any) {
  return {pattern.places[0] ? SipId(static_cast<std::uint32_t>(*pattern.places[0])) : any.sip,
          pattern.places[1] ? CubeId(static_cast<std::uint32_t>(*pattern.places[1])) : any.cube,
          pattern.places[2] ? PeId(static_cast<std::uint32_t>(*pattern.places[2])) : any.pe};
}

void add_link(LinkEnds& ends, const CclLink& link, const contract::MachineInfo& machine) {
  check_size(link, link.from, machine);
  check_size(link, link.to, machine);
  for (const PeCoord& any : all_pes(machine)) {
    const PeCoord from = pe_of(link.from, any), to = pe_of(link.to, any);
    // For a fixed number in the pattern, only the index 0 is used, so that the PE occurs once.
    const bool first = (!link.from.places[0] || any.sip.value == 0) && (!link.from.places[1] || any.cube.value == 0) &&
                       (!link.from.places[2] || any.pe.value == 0);
    if (!first) continue;
    if (from == to) refuse(link, fmt::format("{} is linked to itself", pe_name(from)), "name two PEs");
    ends.add(from, link.send, {to, link.receive, true, link.both, &link});
    ends.add(to, link.receive, {from, link.send, link.both, true, &link});
  }
}

}  // namespace

Wiring wire_links(const std::vector<CclLink>& links, const contract::MachineInfo& machine) {
  LinkEnds ends;
  for (const CclLink& link : links) add_link(ends, link, machine);
  return ends.wiring();
}

}  // namespace kb::sw
