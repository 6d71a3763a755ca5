// Rules for the messages and barriers that the PE that ended last waited for.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/contract/share_words.h"
#include "sim/analysis/findings/case.h"
#include "sim/analysis/findings/message_chain.h"

namespace kb::sim {
namespace {

using contract::TimeShare;

// Finds a peer that itself waits for slots that this PE has emptied: the credits take too long.
bool find_full_ring(const LaunchCase& launch_case, const MessageWaits::Peer& peer, Findings& findings) {
  const TimeFs without_slot = launch_case.costs->waited_for_slots(peer.sender, launch_case.pe.pe, launch_case.pe.start,
                                                                  launch_case.pe.start + launch_case.pe.exec);
  const TimeFs waiting = launch_case.share(TimeShare::dependency);
  if (without_slot < peer.time / 2 || peer.time < waiting / 4) return false;
  Finding finding = launch_case.finding("full_queue", std::min({without_slot, peer.time, waiting}),
                                        fmt::format("{} waits for free slots at {}, which waits for its messages",
                                                    pe_name(peer.sender), pe_name(launch_case.pe.pe)));
  finding.evidence = {fmt::format("{} waited {} for free slots, {} waited {} for {} of its messages",
                                  pe_name(peer.sender), ns_text(without_slot), pe_name(launch_case.pe.pe),
                                  ns_text(peer.time), peer.messages)};
  finding.remedy = "give the queue more slots (n_slots of the collective configuration), or send more with a message";
  findings.push_back(std::move(finding));
  return true;
}

// Finds PEs on the chain of messages whose sends wait for slots, each for another one.
bool find_waits_for_slots(const LaunchCase& launch_case, TimeFs waiting, Findings& findings) {
  if (launch_case.waits == nullptr) return false;
  const MessageChain chain = message_chain_of(launch_case);
  TimeFs all = 0_fs, most = 0_fs;
  PeCoord longest = launch_case.pe.pe;
  std::map<PeCoord, TimeFs> by_pe;
  const auto add = [&](const MessageChain::Stay& stay) {
    const TimeFs time = launch_case.waits->waited_for_slots(stay.pe, stay.begin, stay.end);
    all += time;
    if ((by_pe[stay.pe] += time) <= most) return;
    most = by_pe[stay.pe];
    longest = stay.pe;
  };
  add(chain.rest);
  for (const MessageChain::Stay& stay : chain.stays) add(stay);
  if (all < waiting / 2) return false;
  Finding finding =
      launch_case.finding("full_queue", std::min(all, waiting), "PEs wait for free slots of message queues");
  finding.evidence = {
      fmt::format("of the {} for which {} waits, PEs that it waits for and itself wait {} for free slots, {} longest",
                  ns_text(waiting), pe_name(launch_case.pe.pe), percent(all, waiting), pe_name(longest))};
  add_chain(launch_case, finding);
  finding.remedy =
      "give the queues more slots (n_slots of the collective configuration), or send more with a message; senders that "
      "poll (backpressure: poll) see a free slot up to ipcq_poll_ns late";
  findings.push_back(std::move(finding));
  return true;
}

void find_waits(const LaunchCase& launch_case, Findings& findings) {
  const TimeFs waiting = launch_case.share(TimeShare::dependency);
  // An earlier send cannot save the time of a receive for the slot and the credit, only its waiting time.
  const TimeFs end = launch_case.pe.start + launch_case.pe.exec;
  const TimeFs by_wire = explained_by(findings, {"slow_link", "hot_link"});
  const TimeFs by_headers = explained_by(findings, {"header_bound", "barrier_imbalance", "barrier_overhead"});
  const TimeFs gain =
      (launch_case.costs == nullptr
           ? waiting
           : std::min(waiting, launch_case.costs->waited(launch_case.pe.pe, launch_case.pe.start, end))) -
      std::max(by_wire, by_headers);
  Finding finding = launch_case.finding("waiting_for_messages", gain, "the kernel waits for other PEs");
  finding.evidence = {fmt::format("{} waits for messages, slots or credits for {} of the launch",
                                  pe_name(launch_case.pe.pe), percent(waiting, launch_case.total()))};
  const auto peer = launch_case.waits == nullptr
                        ? std::nullopt
                        : launch_case.waits->most_awaited(launch_case.pe.pe, launch_case.pe.start,
                                                          launch_case.pe.start + launch_case.pe.exec);
  // Rings on a slow wire are also full.
  const bool may_be_full = by_wire <= waiting / 2;
  if (peer) {
    if (may_be_full && find_full_ring(launch_case, *peer, findings)) return;  // explains the wait
    finding.evidence.push_back(fmt::format("it waited longest for {}: {} for {} of its messages", pe_name(peer->sender),
                                           ns_text(peer->time), peer->messages));
  }
  if (may_be_full && find_waits_for_slots(launch_case, waiting, findings)) return;
  if (by_headers == 0_fs) add_chain(launch_case, finding);  // otherwise that finding has the chain
  finding.remedy = "send earlier, receive later, use more slots, or an algorithm with fewer steps one behind the other";
  findings.push_back(std::move(finding));
}

}  // namespace

void find_message_causes(const LaunchCase& launch_case, Findings& findings) {
  find_waits(launch_case, findings);
}

}  // namespace kb::sim
