// The wire that is full for the longest time during a launch, in its SIP or on the path of messages that it waits for.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "platform/contract/share_words.h"
#include "sim/analysis/findings/case.h"

namespace kb::sim {
namespace {

constexpr double kFullWire = 0.75;  // share of a bin

// The launch's SIP, and the SIPs whose messages it waits for, directly or through others.
std::set<SipId> sips_of(const LaunchCase& launch_case) {
  std::set<SipId> sips{launch_case.pe.pe.sip};
  if (launch_case.costs != nullptr)
    launch_case.costs->add_senders(sips, launch_case.pe.start, launch_case.pe.start + launch_case.pe.exec);
  return sips;
}

// Wires outside of SIPs belong to the SIP to which they lead.
bool is_of(const std::set<SipId>& sips, const topology::Graph& graph, const record::SeriesInfo& wire) {
  const SipId from = graph.node(wire.node).sip, to = graph.node(wire.peer).sip;
  return sips.count(from.valid() ? from : to) != 0;
}

// A wire, compared with others of its kind.
struct Wire {
  const record::SeriesInfo* series = nullptr;
  const topology::Edge* edge = nullptr;
  Bandwidth bw, typical;
  TimeFs time = 0_fs;  // upper bound of its cost: its full or its busy time
  bool counts_busy = false;

  bool is_slow() const { return bw < typical * 0.9; }
  double wider() const { return is_slow() ? typical / bw : 2.0; }
};

std::map<topology::EdgeKind, Bandwidth> most_by_kind(const topology::Graph& graph) {
  std::map<topology::EdgeKind, Bandwidth> most;
  for (const topology::Edge& edge : graph.edges) most[edge.kind] = wider_limit(most[edge.kind], edge.bw);
  return most;
}

// A slow wire that is full for most of its busy time delays all traffic in that time. Other wires only delay traffic
// while they are full: a ring of small messages loses 2 % by a wire with a quarter of the bandwidth that is busy for
// two thirds of the time.
Wire hottest(const LaunchCase& launch_case, const std::set<SipId>& sips) {
  const std::map<topology::EdgeKind, Bandwidth> typical = most_by_kind(launch_case.graph);
  Wire hottest;
  for (const LaunchActivity::WireUse& use : launch_case.activity.wires(kFullWire)) {
    const auto id = launch_case.graph.find_edge(use.series->node, use.series->peer);
    if (!id || !is_of(sips, launch_case.graph, *use.series)) continue;
    const topology::Edge& edge = launch_case.graph.edge(*id);
    Wire wire{use.series, &edge, edge.bw, typical.at(edge.kind), use.full};
    wire.counts_busy = wire.is_slow() && use.full > use.busy / 2;
    if (wire.counts_busy) wire.time = use.busy;
    if (wire.time > hottest.time) hottest = wire;
  }
  return hottest;
}

// Time of the traffic that waits for the wire: transfers and messages, or only messages if it connects SIPs that send
// messages.
TimeFs waits_for(const LaunchCase& launch_case, const Wire& wire, bool messages_between_sips) {
  const TimeFs messages = launch_case.share(contract::TimeShare::dependency);
  return wire.edge->kind == topology::EdgeKind::pcie && messages_between_sips ? messages
                                                                              : launch_case.exposed() + messages;
}

}  // namespace

// Most wires of a path carry the same bytes, so that the next bottleneck is not known: the gain is that of twice the
// bandwidth, or of the bandwidth of other wires of its kind.
void find_wire_causes(const LaunchCase& launch_case, Findings& findings) {
  const std::set<SipId> sips = sips_of(launch_case);
  const Wire hot = hottest(launch_case, sips);
  if (hot.series == nullptr || hot.time < launch_case.activity.window() / 3) return;
  const TimeFs waits = std::min(hot.time, waits_for(launch_case, hot, sips.size() > 1));
  const TimeFs saved(static_cast<std::int64_t>(static_cast<double>(waits.fs()) * (1.0 - 1.0 / hot.wider())));
  const std::string name =
      launch_case.graph.node(hot.series->node).id + " -> " + launch_case.graph.node(hot.series->peer).id;
  const bool slow = hot.is_slow();
  Finding finding = launch_case.finding(slow ? "slow_link" : "hot_link", saved,
                                        fmt::format(slow ? "the wire {} is slow" : "the wire {} is full", name));
  finding.evidence = {fmt::format("it carries {} GB/s{} and is {} for {} of the kernel", hot.bw.gbs(),
                                  slow ? fmt::format(", others of its kind {},", hot.typical.gbs()) : "",
                                  hot.counts_busy ? "busy" : "full", percent(hot.time, launch_case.activity.window()))};
  finding.remedy = slow ? "give it the bandwidth of the others, or keep traffic away from it"
                        : "use what was loaded more often (larger tiles), or place data nearer to its users";
  findings.push_back(std::move(finding));
}

}  // namespace kb::sim
