// Barriers for which PEs wait because one of them comes late.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/contract/share_words.h"
#include "sim/analysis/findings/case.h"
#include "sim/analysis/findings/message_chain.h"

namespace kb::sim {
namespace {

// The barriers of the PEs that meet the last-ending PE, in order: who came when to the first one, the second one, ...
struct Meeting {
  std::vector<TimeFs> arrivals;
  TimeFs own = kNever;  // the last-ending PE's arrival
  PeCoord last;
  TimeFs latest = -1_fs;
};
using Meetings = std::map<std::pair<contract::BarrierScope, std::size_t>, Meeting>;

Meetings meetings_of(const LaunchCase& launch_case) {
  const PeCoord& pe = launch_case.pe.pe;
  const TimeFs begin = launch_case.launch.start, end = launch_case.launch.completed;
  std::map<std::pair<PeCoord, contract::BarrierScope>, std::size_t> count;
  Meetings meetings;
  for (const BarrierWait& wait : launch_case.costs->barrier_waits()) {
    const PeCoord at = launch_case.graph.node(wait.at).pe_coord();
    const bool meets = at.sip == pe.sip && (wait.scope == contract::BarrierScope::sip || at.cube == pe.cube);
    if (!meets || wait.start < begin || wait.end > end) continue;
    Meeting& meeting = meetings[{wait.scope, count[{at, wait.scope}]++}];
    meeting.arrivals.push_back(wait.start);
    if (at == pe) meeting.own = wait.start;
    if (wait.start <= meeting.latest) continue;
    meeting.latest = wait.start;
    meeting.last = at;
  }
  return meetings;
}

// Those of the last-ending PE, in the order of their ends.
std::vector<Meeting> own_meetings(const LaunchCase& launch_case) {
  std::vector<Meeting> own;
  for (auto& [key, meeting] : meetings_of(launch_case)) {
    if (meeting.own != kNever) own.push_back(meeting);
  }
  std::sort(own.begin(), own.end(), [](const Meeting& a, const Meeting& b) { return a.latest < b.latest; });
  return own;
}

}  // namespace

LaunchActivity::Spans spans_elsewhere(const LaunchCase& launch_case) {
  LaunchActivity::Spans spans;
  if (launch_case.waits != nullptr) {
    // A send that waits for a slot waits for the PE that has to take the message before.
    const auto add_slot_waits = [&](const MessageChain::Stay& stay) {
      if (launch_case.costs == nullptr) return;
      for (const SlotWait* wait : launch_case.waits->slot_waits(stay.pe, stay.begin, stay.end)) {
        const NodeId to = launch_case.costs->receiver_of(*wait);
        if (to.valid()) spans[launch_case.graph.node(to).pe_coord()].emplace_back(wait->start, wait->end);
      }
    };
    const MessageChain chain = message_chain_of(launch_case);
    add_slot_waits(chain.rest);
    for (const MessageChain::Stay& stay : chain.stays) {
      spans[stay.pe].emplace_back(stay.begin, stay.end);
      add_slot_waits(stay);
    }
  }
  if (launch_case.costs != nullptr) {
    // All go on from a barrier together, so that what the last one did since the barrier before makes it late.
    TimeFs since = launch_case.launch.start;
    for (const Meeting& meeting : own_meetings(launch_case)) {
      if (meeting.own < meeting.latest) spans[meeting.last].emplace_back(since, meeting.latest);
      since = meeting.latest;
    }
  }
  for (auto& [pe, list] : spans) std::sort(list.begin(), list.end());
  return spans;
}

// What the last one of each barrier is later than the median. PEs whose work is even come late in turn, and little.
void find_barrier_causes(const LaunchCase& launch_case, Findings& findings) {
  if (launch_case.costs == nullptr) return;
  TimeFs all = 0_fs;
  std::size_t count = 0;
  std::map<PeCoord, std::pair<std::size_t, TimeFs>> late;  // how often, and by how much
  for (auto& [key, meeting] : meetings_of(launch_case)) {
    std::vector<TimeFs>& arrivals = meeting.arrivals;
    if (arrivals.size() < 2) continue;
    const auto middle = arrivals.begin() + static_cast<std::ptrdiff_t>((arrivals.size() - 1) / 2);
    std::nth_element(arrivals.begin(), middle, arrivals.end());
    const TimeFs by = meeting.latest - *middle;
    all += by;
    ++count;
    ++late[meeting.last].first;
    late[meeting.last].second += by;
  }
  if (count == 0) return;
  const auto& [pe, worst] = *std::max_element(
      late.begin(), late.end(), [](const auto& a, const auto& b) { return a.second.second < b.second.second; });
  const TimeFs waiting = launch_case.share(contract::TimeShare::dependency);
  const bool own = pe == launch_case.pe.pe;  // others wait for the PE that ends last
  Finding finding = launch_case.finding("barrier_imbalance", own ? all : std::min(all, waiting),
                                        fmt::format("PEs wait at barriers for {}", pe_name(pe)));
  finding.evidence = {
      fmt::format("the last one comes {} behind the median, summed over {} barriers of {}; it is {} at "
                  "{} of them",
                  ns_text(all), count, pe_name(launch_case.pe.pe), pe_name(pe), worst.first)};
  finding.remedy = "give it less work between barriers, or look at what is nearer to the others: its memory, its wires";
  findings.push_back(std::move(finding));
}

}  // namespace kb::sim
