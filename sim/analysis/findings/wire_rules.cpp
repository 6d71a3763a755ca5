// The wire that is full for the longest time during a launch, in its SIP or on the path of messages that it waits for.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "platform/contract/share_words.h"
#include "sim/analysis/findings/case.h"

namespace kb::sim {
namespace {

constexpr double kFullWire = 0.75;   // share of a bin
constexpr double kRoutesStay = 0.5;  // of a wire's bytes, at least so much stays on it when another one gets faster

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
  TimeFs busy = 0_fs;
  bool counts_busy = false;

  bool is_slow() const { return bw < typical * 0.9; }
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
    Wire wire{use.series, &edge, edge.bw, typical.at(edge.kind), use.full, use.busy};
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

// Busy time of the busiest wire; `left(edge)`: the part that is left of its time.
template <typename F>
TimeFs busiest(const LaunchCase& launch_case, const std::set<SipId>& sips, F&& left) {
  TimeFs most = 0_fs;
  for (const LaunchActivity::WireUse& use : launch_case.activity.wires(kFullWire)) {
    const auto id = launch_case.graph.find_edge(use.series->node, use.series->peer);
    if (!id || !is_of(sips, launch_case.graph, *use.series)) continue;
    most = std::max(most, part(use.busy, left(launch_case.graph.edge(*id))));
  }
  return most;
}

// The memory at an end of a wire that carries no less than the memory gives; null when there is none.
const topology::Node* memory_behind(const topology::Graph& graph, const Wire& wire) {
  for (const NodeId end : {wire.edge->src, wire.edge->dst}) {
    const topology::Node& node = graph.node(end);
    if (node.kind != topology::NodeKind::hbm_ctrl || wire.is_slow()) continue;
    const params::MemoryTraits memory = params::memory_traits(node.params, node.impl_params);
    const Bandwidth rate = memory.channel_bw * (static_cast<double>(memory.channels) * memory.efficiency);
    if (rate.gbs() <= wire.bw.gbs() * 1.01) return &node;
  }
  return nullptr;
}

// Busy time of the wire against this one: a memory gives and takes in turn.
TimeFs busy_against(const LaunchCase& launch_case, const Wire& wire) {
  for (const LaunchActivity::WireUse& use : launch_case.activity.wires(kFullWire)) {
    if (use.series->node == wire.series->peer && use.series->peer == wire.series->node) return use.busy;
  }
  return 0_fs;
}

// Whether routes choose between this wire and others: it does not lead to or from the place of a transfer.
bool is_on_routes(const topology::Graph& graph, const topology::Edge& edge) {
  const auto ends = [](topology::NodeKind kind) { return is_pe_block(kind) || kind == topology::NodeKind::hbm_ctrl; };
  return !ends(graph.node(edge.src).kind) && !ends(graph.node(edge.dst).kind);
}

// A slow wire becomes like others of its kind, and so do others that are slow, too; a full one is relieved with all of
// its kind. The wire of a PE carries what others of the same rate bring there: twice of that is attainable. Then the
// busiest of the other wires still has its bytes to carry.
TimeFs saved_by(const LaunchCase& launch_case, const Wire& wire, const std::set<SipId>& sips) {
  const TimeFs waits = std::min(wire.time, waits_for(launch_case, wire, sips.size() > 1));
  const TimeFs saved = wire.is_slow()                                ? part(waits, 1.0 - wire.bw / wire.typical)
                       : is_on_routes(launch_case.graph, *wire.edge) ? waits
                                                                     : waits / 2;
  const std::map<topology::EdgeKind, Bandwidth> typical = most_by_kind(launch_case.graph);
  const TimeFs left = busiest(launch_case, sips, [&](const topology::Edge& edge) {
    if (!wire.is_slow() && edge.kind == wire.edge->kind) return 0.0;
    return std::min(1.0, edge.bw / typical.at(edge.kind)) * (is_on_routes(launch_case.graph, edge) ? kRoutesStay : 1.0);
  });
  return std::min(saved, std::max(0_fs, launch_case.pe.exec - left));
}

}  // namespace

TimeFs without_wires(const LaunchCase& launch_case) {
  return std::max(0_fs, launch_case.pe.exec - busiest(launch_case, sips_of(launch_case),
                                                      [](const topology::Edge& /*edge*/) { return 1.0; }));
}

void find_wire_causes(const LaunchCase& launch_case, Findings& findings) {
  const std::set<SipId> sips = sips_of(launch_case);
  const Wire hot = hottest(launch_case, sips);
  if (hot.series == nullptr || hot.time < launch_case.activity.window() / 3) return;
  const TimeFs uneven = explained_by(findings, {"idle_pseudo_channels", "hot_slice", "slices_in_turn"});
  if (const topology::Node* const memory = memory_behind(launch_case.graph, hot)) {
    const bool is_found = uneven >= launch_case.total() / 20 || explained_by(findings, {"memory_bound"}) > 0_fs;
    const TimeFs busy = std::min(hot.busy + busy_against(launch_case, hot), launch_case.activity.window());
    if (!is_found) add_memory_bound(launch_case, *memory, busy, findings);
    return;
  }
  const std::string name =
      launch_case.graph.node(hot.series->node).id + " -> " + launch_case.graph.node(hot.series->peer).id;
  const bool slow = hot.is_slow();
  Finding finding = launch_case.finding(slow ? "slow_link" : "hot_link", saved_by(launch_case, hot, sips),
                                        fmt::format(slow ? "the wire {} is slow" : "the wire {} is full", name));
  finding.evidence = {fmt::format("it carries {} GB/s{} and is {} for {} of the kernel", hot.bw.gbs(),
                                  slow ? fmt::format(", others of its kind {},", hot.typical.gbs()) : "",
                                  hot.counts_busy ? "busy" : "full", percent(hot.time, launch_case.activity.window()))};
  add_bytes_of_others(launch_case, launch_case.graph.node(hot.series->node).id, hot.series->label(launch_case.graph),
                      finding);
  finding.remedy = slow ? "give it the bandwidth of the others, or keep traffic away from it"
                        : "use what was loaded more often (larger tiles), or place data nearer to its users";
  findings.push_back(std::move(finding));
}

}  // namespace kb::sim
