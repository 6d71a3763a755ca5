// Chains of waits, followed back to the PE that causes them.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/contract/completion.h"
#include "platform/contract/share_words.h"
#include "sim/analysis/findings/case.h"
#include "sim/analysis/findings/limiter.h"

namespace kb::sim {
namespace {

constexpr std::size_t kNamed = 6;  // maximum number of PEs of a chain in a sentence

// The time of a PE in the chain from the end of its wait, or the start of its kernel, to its send.
struct Stay {
  TimeFs begin = 0_fs, end = 0_fs;
};

struct Stays {
  TimeFs time = 0_fs;
  std::vector<Stay> list;
};

struct Chain {
  std::vector<ChainLink> links;  // last link first
  std::map<PeCoord, Stays> stays;
  TimeFs begin = 0_fs;  // start of the kernel at the origin
  TimeFs on_the_way = 0_fs;
  const ChainLink* longest = nullptr;  // the slowest message

  TimeFs time() const { return links.front().received - begin; }
  const PeCoord& origin() const { return links.back().sender; }
};

// Start of the kernel that ran on a PE at `time`.
TimeFs kernel_start(const LaunchCase& launch_case, const PeCoord& pe, TimeFs time) {
  TimeFs start = launch_case.launch.start;
  for (const LaunchRecord& launch : launch_case.launches) {
    if (launch.start > time || launch.completed < time || !(launch.sip == pe.sip)) continue;
    for (const contract::PeResult& one : launch.pes) {
      if (one.pe == pe && one.start <= time && one.start + one.exec >= time) start = one.start;
    }
  }
  return std::min(start, time);
}

Chain chain_of(const LaunchCase& launch_case) {
  Chain chain;
  for (const MessageReceive* one : launch_case.waits->chain(launch_case.pe.pe, launch_case.launch.submitted,
                                                            launch_case.pe.start + launch_case.pe.exec)) {
    chain.links.push_back({launch_case.graph.node(one->receiver).pe_coord(),
                           launch_case.graph.node(one->sender).pe_coord(), one->start, one->sent, one->arrived,
                           one->end});
  }
  if (chain.links.empty()) return chain;
  chain.begin = kernel_start(launch_case, chain.origin(), chain.links.back().sent);
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    const ChainLink& link = chain.links[i];
    const TimeFs since = i + 1 < chain.links.size() ? chain.links[i + 1].received : chain.begin;
    Stays& stays = chain.stays[link.sender];
    stays.time += link.sent - since;
    stays.list.push_back({since, link.sent});
    chain.on_the_way += link.received - link.sent;
    const bool longer =
        chain.longest == nullptr || link.received - link.sent > chain.longest->received - chain.longest->sent;
    if (longer) chain.longest = &link;
  }
  return chain;
}

// "a < b < c"
std::string names_of(const Chain& chain) {
  std::string text = pe_name(chain.links.front().pe);
  const std::size_t count = chain.links.size();
  for (std::size_t i = 0; i < count; ++i) {
    const bool left_out = count > kNamed && i >= kNamed - 2 && i + 1 < count;
    if (!left_out) text += " < " + pe_name(chain.links[i].sender);
    if (left_out && i == kNamed - 2) text += fmt::format(" < ({} more)", count - kNamed + 1);
  }
  return text;
}

std::string reason(const LaunchCase& launch_case, const PeCoord& pe, const Stays& stays) {
  std::vector<TimeFs> shares(contract::kShares);
  for (const Stay& stay : stays.list) {
    const std::vector<TimeFs> part = launch_case.activity.shares(launch_case.graph, pe, stay.begin, stay.end);
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] += part[i];
  }
  const auto most = std::max_element(shares.begin(), shares.end());
  return fmt::format("it {} for {}", contract::word_of(static_cast<std::size_t>(most - shares.begin())).phrase,
                     percent(*most, stays.time));
}

}  // namespace

void add_chain(const LaunchCase& launch_case, Finding& finding) {
  if (launch_case.waits == nullptr) return;
  const Chain chain = chain_of(launch_case);
  if (chain.links.empty()) return;
  finding.evidence.push_back(fmt::format("chain: {}; {} of its {} pass on the way of {} messages", names_of(chain),
                                         percent(chain.on_the_way, chain.time()), ns_text(chain.time()),
                                         chain.links.size()));
  const auto latest = std::max_element(chain.stays.begin(), chain.stays.end(),
                                       [](const auto& a, const auto& b) { return a.second.time < b.second.time; });
  if (latest->second.time >= chain.time() / 4) {
    finding.evidence.push_back(fmt::format("origin: {} was late because {} of the {} before it sent",
                                           pe_name(latest->first), reason(launch_case, latest->first, latest->second),
                                           ns_text(latest->second.time)));
  } else {
    finding.evidence.push_back(
        fmt::format("origin: {}; none of them is late, the longest message, from {} to {}, took {}",
                    pe_name(chain.origin()), pe_name(chain.longest->sender), pe_name(chain.longest->pe),
                    ns_text(chain.longest->received - chain.longest->sent)));
  }
  finding.chain = chain.links;
  if (finding.chain.size() > Finding::kMaxLinks) finding.chain.resize(Finding::kMaxLinks);
}

}  // namespace kb::sim
