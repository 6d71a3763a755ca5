#include "sim/analysis/findings/message_chain.h"

#include <algorithm>

#include "platform/contract/completion.h"

namespace kb::sim {
namespace {

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

}  // namespace

MessageChain message_chain_of(const LaunchCase& launch_case) {
  MessageChain chain;
  const TimeFs end = launch_case.pe.start + launch_case.pe.exec;
  for (const MessageReceive* one : launch_case.waits->chain(launch_case.pe.pe, launch_case.launch.submitted, end)) {
    chain.links.push_back({launch_case.graph.node(one->receiver).pe_coord(),
                           launch_case.graph.node(one->sender).pe_coord(), one->start, one->sent, one->arrived,
                           one->end});
  }
  chain.begin =
      chain.links.empty() ? launch_case.pe.start : kernel_start(launch_case, chain.origin(), chain.links.back().sent);
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    const TimeFs since = i + 1 < chain.links.size() ? chain.links[i + 1].received : chain.begin;
    chain.stays.push_back({chain.links[i].sender, since, chain.links[i].sent});
  }
  chain.rest = {launch_case.pe.pe, chain.links.empty() ? launch_case.pe.start : chain.links.front().received, end};
  return chain;
}

}  // namespace kb::sim
