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
  TimeFs own = kNever, own_end = kNever;  // when the last-ending PE came, and went on
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
    if (at == pe) {
      meeting.own = wait.start;
      meeting.own_end = wait.end;
    }
    if (wait.start <= meeting.latest) continue;
    meeting.latest = wait.start;
    meeting.last = at;
  }
  return meetings;
}

}  // namespace

LaunchActivity::Spans spans_elsewhere(const LaunchCase& launch_case) {
  LaunchActivity::Spans spans;
  if (launch_case.waits != nullptr) {
    for (const MessageChain::Stay& stay : message_chain_of(launch_case).stays) {
      spans[stay.pe].emplace_back(stay.begin, stay.end);
    }
  }
  if (launch_case.costs != nullptr) {
    for (const auto& [key, meeting] : meetings_of(launch_case)) {
      if (meeting.own < meeting.latest) spans[meeting.last].emplace_back(meeting.own, meeting.latest);
    }
  }
  for (auto& [pe, list] : spans) std::sort(list.begin(), list.end());
  return spans;
}

// From the arrival of the last PE until the last-ending one goes on: the way of the messages of each barrier, and what
// the M_CPUs do for it.
void find_barrier_overhead(const LaunchCase& launch_case, const Meetings& meetings, Findings& findings) {
  TimeFs all = 0_fs;
  std::size_t count = 0;
  for (const auto& [key, meeting] : meetings) {
    if (meeting.own == kNever) continue;
    all += meeting.own_end - meeting.latest;
    ++count;
  }
  if (count == 0) return;
  Finding finding = launch_case.finding("barrier_overhead", all, "barriers take time although all PEs have come");
  finding.evidence = {fmt::format("{} goes on from {} barrier{} {} after the last PE has come, {} each",
                                  pe_name(launch_case.pe.pe), count, count == 1 ? "" : "s", ns_text(all),
                                  ns_text(all / static_cast<std::int64_t>(count)))};
  finding.remedy =
      "fewer barriers, barriers of a cube in place of the SIP, or messages between the PEs that need each other; a "
      "machine with a smaller overhead_ns of m_cpu is faster in proportion";
  findings.push_back(std::move(finding));
}

// What the last one of each barrier is later than the median. PEs whose work is even come late in turn, and little.
void find_barrier_causes(const LaunchCase& launch_case, Findings& findings) {
  if (launch_case.costs == nullptr) return;
  TimeFs all = 0_fs;
  std::size_t count = 0;
  std::map<PeCoord, std::pair<std::size_t, TimeFs>> late;  // how often, and by how much
  Meetings meetings = meetings_of(launch_case);
  find_barrier_overhead(launch_case, meetings, findings);
  for (auto& [key, meeting] : meetings) {
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
