// Chains of waits, followed back to the PE that causes them.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/contract/share_words.h"
#include "sim/analysis/findings/case.h"
#include "sim/analysis/findings/message_chain.h"

namespace kb::sim {
namespace {

constexpr std::size_t kNamed = 6;  // maximum number of PEs of a chain in a sentence

struct Stays {
  TimeFs time = 0_fs;
  std::vector<MessageChain::Stay> list;
};

// What the sentences say about a chain.
struct Summary {
  std::map<PeCoord, Stays> stays;
  TimeFs on_the_way = 0_fs;
  const ChainLink* longest = nullptr;  // the slowest message
};

Summary summary_of(const MessageChain& chain) {
  Summary summary;
  for (const MessageChain::Stay& stay : chain.stays) {
    Stays& stays = summary.stays[stay.pe];
    stays.time += stay.end - stay.begin;
    stays.list.push_back(stay);
  }
  for (const ChainLink& link : chain.links) {
    const TimeFs time = link.received - link.sent;
    summary.on_the_way += time;
    if (summary.longest == nullptr || time > summary.longest->received - summary.longest->sent) summary.longest = &link;
  }
  return summary;
}

// "a < b < c"
std::string names_of(const MessageChain& chain) {
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
  for (const MessageChain::Stay& stay : stays.list) {
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
  const MessageChain chain = message_chain_of(launch_case);
  if (chain.links.empty()) return;
  const Summary summary = summary_of(chain);
  finding.evidence.push_back(fmt::format("chain: {}; {} of its {} pass on the way of {} messages", names_of(chain),
                                         percent(summary.on_the_way, chain.time()), ns_text(chain.time()),
                                         chain.links.size()));
  const auto latest = std::max_element(summary.stays.begin(), summary.stays.end(),
                                       [](const auto& a, const auto& b) { return a.second.time < b.second.time; });
  if (latest->second.time >= chain.time() / 4) {
    finding.evidence.push_back(fmt::format("origin: {} was late because {} of the {} before it sent",
                                           pe_name(latest->first), reason(launch_case, latest->first, latest->second),
                                           ns_text(latest->second.time)));
  } else {
    finding.evidence.push_back(
        fmt::format("origin: {}; none of them is late, the longest message, from {} to {}, took {}",
                    pe_name(chain.origin()), pe_name(summary.longest->sender), pe_name(summary.longest->pe),
                    ns_text(summary.longest->received - summary.longest->sent)));
  }
  finding.chain = chain.links;
  if (finding.chain.size() > Finding::kMaxLinks) finding.chain.resize(Finding::kMaxLinks);
}

}  // namespace kb::sim
