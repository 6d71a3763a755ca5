// Messages whose time consists of the overheads of nodes instead of the transfer of bytes.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "platform/contract/share_words.h"
#include "platform/params/forwarding_params.h"
#include "platform/routing/address_resolver.h"
#include "platform/routing/latency.h"
#include "platform/routing/path_router.h"
#include "sim/analysis/findings/case.h"
#include "sim/analysis/findings/message_chain.h"

namespace kb::sim {
namespace {

// Overheads of the nodes on a way.
struct Overheads {
  TimeFs time = 0_fs;
  std::map<topology::NodeKind, TimeFs> by_kind;

  TimeFs of(std::optional<topology::NodeKind> kind) const {
    if (!kind) return time;
    const auto found = by_kind.find(*kind);
    return found == by_kind.end() ? 0_fs : found->second;
  }
  Overheads& operator+=(const Overheads& other) {
    time += other.time;
    for (const auto& [kind, more] : other.by_kind) by_kind[kind] += more;
    return *this;
  }
};

class OverheadsBetween {
 public:
  explicit OverheadsBetween(const topology::Graph& graph) : graph_(graph), resolver_(graph), router_(graph) {}

  const Overheads& operator()(const PeCoord& from, const PeCoord& to) {
    const auto [found, is_new] = known_.try_emplace({from, to});
    if (!is_new) return found->second;
    const NodeId source = resolver_.find_pe_node(from, topology::NodeKind::pe_dma);
    const NodeId target = resolver_.find_pe_node(to, topology::NodeKind::pe_dma);
    return found->second = on(router_.find_path(source, target));
  }

  // From the host over IO_CPU and M_CPU.
  Overheads of_launch(const PeCoord& pe) {
    const NodeId from = resolver_.find_pcie_ep(pe.sip), io_cpu = resolver_.find_io_cpu(pe.sip),
                 m_cpu = resolver_.find_m_cpu(pe.sip, pe.cube),
                 cpu = resolver_.find_pe_node(pe, topology::NodeKind::pe_cpu);
    Overheads all = on(router_.find_node_path(from, io_cpu));
    all += on(router_.find_node_path(io_cpu, m_cpu));
    return all += on(router_.find_node_path(m_cpu, cpu));
  }

  // From a PE to the M_CPU of its cube and back; of a SIP's barrier to the farthest M_CPU of the SIP.
  Overheads of_barrier(const PeCoord& pe, contract::BarrierScope scope) {
    const NodeId m_cpu = resolver_.find_m_cpu(pe.sip, pe.cube);
    Overheads farthest;
    const auto cubes = static_cast<std::uint32_t>(graph_.spec.cubes_per_sip());
    for (std::uint32_t cube = 0; scope == contract::BarrierScope::sip && cube < cubes; ++cube) {
      const NodeId other = resolver_.find_m_cpu(pe.sip, CubeId(cube));
      if (other == m_cpu) continue;
      const Overheads there = on(router_.find_node_path(m_cpu, other));
      if (there.time > farthest.time) farthest = there;
    }
    Overheads all = on(router_.find_node_path(resolver_.find_pe_node(pe, topology::NodeKind::pe_cpu), m_cpu));
    all += farthest;
    return all += Overheads(all);
  }

 private:
  Overheads on(const routing::Route& route) const {
    Overheads overheads;
    for (const NodeId id : route.nodes) {
      const topology::Node& node = graph_.node(id);
      overheads.time += routing::node_overhead_fs(node);
      overheads.by_kind[node.kind] += routing::node_overhead_fs(node);
    }
    return overheads;
  }

  const topology::Graph& graph_;
  routing::AddressResolver resolver_;
  routing::PathRouter router_;
  std::map<std::pair<PeCoord, PeCoord>, Overheads> known_;
};

bool decodes_serially(const topology::Graph& graph, topology::NodeKind kind) {
  for (const topology::Node& node : graph.nodes) {
    if (node.kind != kind) continue;
    const auto decode = node.params.find("decode");
    if (decode && std::get<std::string>(*decode) == "serial") return true;
  }
  return false;
}

// A message or credit took `lasted`; its headers are no more of it.
TimeFs add_headers(MessageHeaders& headers, const Overheads& overheads, TimeFs lasted) {
  const TimeFs added = std::min(overheads.time, lasted);
  headers.time += added;
  for (const auto& [kind, time] : overheads.by_kind) headers.by_kind[kind] += std::min(time, lasted);
  return added;
}

// The part of the launch whose waits are kept, 1 for all.
double kept_part(const LaunchCase& launch_case) {
  const TimeFs begin = launch_case.launch.submitted, end = launch_case.pe.start + launch_case.pe.exec,
               since = launch_case.costs == nullptr ? begin : std::max(begin, launch_case.costs->complete_since());
  return since >= end ? 1.0 : fs_to_ns(end - since) / fs_to_ns(end - begin);
}

// The messages that the PE got in its kernel.
struct Received {
  std::size_t count = 0;
  std::map<PeCoord, std::size_t> by_sender;
  std::uint64_t bytes = 0;  // of the largest one from the PE that sent most
  bool fills_slot = false;
  TimeFs there_and_back = 0_fs;  // overheads of nodes for a message and its credit, from the farthest sender
  TimeFs there = 0_fs;           // for a message of the sender that sent most
};

Received received_by(const LaunchCase& launch_case) {
  Received received;
  const PeCoord& pe = launch_case.pe.pe;
  for (const MessageReceive* one :
       launch_case.waits->receives(pe, launch_case.launch.submitted, launch_case.pe.start + launch_case.pe.exec)) {
    ++received.count;
    ++received.by_sender[launch_case.graph.node(one->sender).pe_coord()];
  }
  if (received.count == 0 || launch_case.costs == nullptr) return {};
  const PeCoord most =
      std::max_element(received.by_sender.begin(), received.by_sender.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->first;
  received.bytes = launch_case.costs->largest_message(most, pe);
  received.fills_slot = launch_case.costs->fill_slots(most, pe);
  OverheadsBetween between(launch_case.graph);
  for (const auto& [sender, count] : received.by_sender) {
    const TimeFs there = between(sender, pe).time;
    received.there_and_back = std::max(received.there_and_back, there + between(pe, sender).time);
    if (sender == most) received.there = there;
  }
  return received;
}

// Finds many messages from the same PEs whose headers take longer than their bytes. Larger ones have fewer headers: one
// of each sender remains, and no message can have more than what the PE loads.
void find_small_messages(const LaunchCase& launch_case, TimeFs serial, Findings& findings) {
  constexpr double kFewBytes = 0.5;  // of the time of a header
  const Received received = received_by(launch_case);
  if (received.count == 0 || received.by_sender.size() * 2 > received.count) return;
  const Bandwidth wire = launch_case.graph.spec.pe_to_router_bw;
  if (wire.occupancy(received.bytes) > part(received.there, kFewBytes)) return;
  double left = static_cast<double>(received.by_sender.size()) / static_cast<double>(received.count);
  const double loaded = fs_to_ns(launch_case.pe.shares.of(contract::PeResource::read_link)) * wire.gbs();
  if (loaded > 0) left = std::max(left, std::min(1.0, static_cast<double>(received.bytes) / loaded));
  // What is loaded and stored for small messages is small, too, and each message is a command.
  const TimeFs all = serial + launch_case.exposed() + launch_case.share(contract::TimeShare::scalar);
  const TimeFs gain =
      std::min({part(all, 1.0 - left), all - std::min(all, received.there_and_back), without_wires(launch_case)});
  Finding finding = launch_case.finding("small_messages", gain,
                                        "messages carry few bytes, and their headers and credits take the time");
  finding.evidence = {fmt::format(
      "{} gets {} messages from {} PE{}, one of {} B{}; their headers pass {} of nodes, their bytes {} of a "
      "wire",
      pe_name(launch_case.pe.pe), received.count, received.by_sender.size(), received.by_sender.size() == 1 ? "" : "s",
      received.bytes, received.fills_slot ? ", as much as its slot holds" : "", ns_text(received.there),
      ns_text(wire.occupancy(received.bytes)))};
  finding.remedy = received.fills_slot
                       ? "slots too small for more: larger slots (slot_size), so that more bytes go with each message"
                       : "send more with a message (chunk of a collective), or take an algorithm with fewer of them";
  findings.push_back(std::move(finding));
}

// Finds headers that come one behind the other and are most of the waiting for messages. Returns how long the PE waited
// for messages whose headers come one behind the other: all the time when headers are most of it.
TimeFs find_serial_headers(const LaunchCase& launch_case, Findings& findings) {
  const TimeFs waiting = launch_case.share(contract::TimeShare::dependency);
  const MessageHeaders& headers = launch_case.headers;
  const TimeFs time = message_headers(launch_case, std::nullopt);
  const TimeFs of_messages =
      headers.time == 0_fs ? 0_fs : part(time, 1 - fs_to_ns(headers.besides) / fs_to_ns(headers.time));
  const TimeFs serial = of_messages < waiting / 2 ? of_messages : waiting;
  if (time == 0_fs || time < waiting / 2) return serial;
  const auto [most, most_time] = *std::max_element(headers.by_kind.begin(), headers.by_kind.end(),
                                                   [](const auto& a, const auto& b) { return a.second < b.second; });
  const bool one_kind = most_time > headers.time / 4 * 3;
  const std::string kind(topology::node_kind_name(most));
  const std::optional<topology::NodeKind> one = one_kind ? std::optional(most) : std::nullopt;
  // The same nodes delay loads, stores and the launch.
  const TimeFs gain = message_headers(launch_case, one) + transfer_headers(launch_case, one);
  Finding finding = launch_case.finding(
      "header_bound", beside_wires(launch_case, gain + launch_headers(launch_case, one)),
      fmt::format("messages spend their time in the overheads of nodes{}", one_kind ? " of kind " + kind : ""));
  finding.evidence = {
      fmt::format("{} waits {}; the headers of {} messages and their credits, one behind the other, take {} of it",
                  pe_name(launch_case.pe.pe), ns_text(waiting), headers.messages, percent(time, waiting)),
      fmt::format("most of that passes in nodes of kind {}{}", kind,
                  decodes_serially(launch_case.graph, most) ? ", whose one decoder takes headers in turn" : "")};
  add_chain(launch_case, finding);
  finding.remedy =
      "send fewer messages one behind the other, over fewer nodes (another algorithm, root or placement), or more "
      "bytes with each; a machine with smaller overhead_ns is faster in proportion";
  findings.push_back(std::move(finding));
  return serial;
}

}  // namespace

// A PE goes on from a receive when the sender has its credit, and from a send when it has a slot: the one message was
// taken and its credit is back. Barriers are messages, too.
MessageHeaders headers_of_messages(const LaunchCase& launch_case) {
  MessageHeaders headers;
  OverheadsBetween between(launch_case.graph);
  const MessageChain chain = message_chain_of(launch_case);
  const auto pe_of = [&](NodeId node) { return launch_case.graph.node(node).pe_coord(); };
  const auto add_stay = [&](const MessageChain::Stay& stay, const ChainLink* before) {
    if (before != nullptr) add_headers(headers, between(before->pe, before->sender), stay.end - stay.begin);
    for (const MessageReceive* one : launch_case.waits->prompt_receives(stay.pe, stay.begin, stay.end)) {
      add_headers(headers, between(stay.pe, pe_of(one->sender)), stay.end - stay.begin);
      ++headers.messages;
    }
    for (const SlotWait* wait : launch_case.waits->slot_waits(stay.pe, stay.begin, stay.end)) {
      const NodeId to = launch_case.costs == nullptr ? NodeId() : launch_case.costs->receiver_of(*wait);
      if (!to.valid()) continue;
      Overheads both = between(stay.pe, pe_of(to));
      headers.besides += add_headers(headers, both += between(pe_of(to), stay.pe), wait->end - wait->start);
    }
  };
  add_stay(chain.rest, chain.links.empty() ? nullptr : &chain.links.front());
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    const ChainLink& link = chain.links[i];
    add_headers(headers, between(link.sender, link.pe), link.received - link.sent);
    ++headers.messages;
    add_stay(chain.stays[i], i + 1 < chain.links.size() ? &chain.links[i + 1] : nullptr);
  }
  if (launch_case.costs == nullptr) return headers;
  const PeCoord& pe = launch_case.pe.pe;
  for (const BarrierWait& wait : launch_case.costs->barrier_waits()) {
    if (!(pe_of(wait.at) == pe) || wait.start < launch_case.pe.start || wait.end > launch_case.launch.completed)
      continue;
    headers.besides += add_headers(headers, between.of_barrier(pe, wait.scope), wait.end - wait.start);
  }
  return headers;
}

// Headers wait in serial decoders, which an overhead keeps busy; on the path that ends the launch up to twice as long
// as on average.
double with_waits_in_decoders(const LaunchCase& launch_case, std::optional<topology::NodeKind> kind) {
  constexpr double kLonger = 2;
  TimeFs waits = 0_fs;
  double headers_ns = 0;
  launch_case.activity.for_each(record::Role::decoder, [&](const LaunchActivity::Row& row) {
    const topology::Node& node = launch_case.graph.node(row.series->node);
    if (node.overhead == 0_fs || (kind && node.kind != *kind)) return;
    accumulate(waits, row.sum.wait);
    headers_ns += fs_to_ns(row.sum.busy);
  });
  return waits == 0_fs ? 1.0 : 1.0 + kLonger * fs_to_ns(waits) / std::max(1.0, headers_ns);
}

// No more than the PE waited.
TimeFs message_headers(const LaunchCase& launch_case, std::optional<topology::NodeKind> kind) {
  const TimeFs waiting = launch_case.share(contract::TimeShare::dependency);
  const double longer = with_waits_in_decoders(launch_case, kind) / kept_part(launch_case);
  return std::min(part(launch_case.headers.of(kind), longer), waiting);
}

// From the host to the PE and back, and to the PE from which a chain of messages comes; and the barrier at the start.
TimeFs launch_headers(const LaunchCase& launch_case, std::optional<topology::NodeKind> kind) {
  OverheadsBetween between(launch_case.graph);
  const PeCoord& pe = launch_case.pe.pe;
  const TimeFs there = between.of_launch(pe).of(kind);
  TimeFs farthest = there;
  if (launch_case.waits != nullptr) {
    const MessageChain chain = message_chain_of(launch_case);
    if (!chain.links.empty()) farthest = std::max(farthest, between.of_launch(chain.origin()).of(kind));
  }
  const TimeFs barrier = std::min(between.of_barrier(pe, contract::BarrierScope::sip).of(kind),
                                  launch_case.pe.start - launch_case.pe.ready);
  const TimeFs kernel_only = launch_case.total() - launch_case.pe.exec;
  return std::min(part(there + farthest + barrier, with_waits_in_decoders(launch_case, kind)),
                  kernel_only + std::max(0_fs, farthest - there));
}

void find_header_causes(const LaunchCase& launch_case, Findings& findings) {
  if (launch_case.waits == nullptr) return;
  const TimeFs serial = find_serial_headers(launch_case, findings);
  find_small_messages(launch_case, serial, findings);
}

}  // namespace kb::sim
