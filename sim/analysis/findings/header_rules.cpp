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

// Sum of the overheads of the nodes between two PEs.
class HeaderTimes {
 public:
  explicit HeaderTimes(const topology::Graph& graph) : graph_(graph), resolver_(graph), router_(graph) {}

  void add(const PeCoord& from, const PeCoord& to) {
    Way& route = ways_[{from, to}];
    if (route.nodes == 0) route = way_of(from, to);
    time_ += route.time;
    for (const auto& [kind, time] : route.by_kind) by_kind_[kind] += time;
  }
  TimeFs time() const { return time_; }
  TimeFs of(topology::NodeKind kind) const {
    const auto found = by_kind_.find(kind);
    return found == by_kind_.end() ? 0_fs : found->second;
  }
  // The kind of node with the largest part of the time, and that part.
  std::pair<topology::NodeKind, TimeFs> most() const {
    return *std::max_element(by_kind_.begin(), by_kind_.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
  }

 private:
  struct Way {
    TimeFs time = 0_fs;
    std::size_t nodes = 0;
    std::map<topology::NodeKind, TimeFs> by_kind;
  };

  Way way_of(const PeCoord& from, const PeCoord& to) {
    Way route;
    const NodeId source = resolver_.find_pe_node(from, topology::NodeKind::pe_dma);
    const NodeId target = resolver_.find_pe_node(to, topology::NodeKind::pe_dma);
    for (const NodeId id : router_.find_path(source, target).nodes) {
      const topology::Node& node = graph_.node(id);
      route.time += routing::node_overhead_fs(node);
      route.by_kind[node.kind] += routing::node_overhead_fs(node);
      ++route.nodes;
    }
    return route;
  }

  const topology::Graph& graph_;
  routing::AddressResolver resolver_;
  routing::PathRouter router_;
  std::map<std::pair<PeCoord, PeCoord>, Way> ways_;
  std::map<topology::NodeKind, TimeFs> by_kind_;
  TimeFs time_ = 0_fs;
};

bool decodes_serially(const topology::Graph& graph, topology::NodeKind kind) {
  for (const topology::Node& node : graph.nodes) {
    if (node.kind != kind) continue;
    const auto decode = node.params.find("decode");
    if (decode && std::get<std::string>(*decode) == "serial") return true;
  }
  return false;
}

// The messages that the PE's waits depend on, one behind the other, and their credits.
struct Serial {
  explicit Serial(const topology::Graph& graph) : headers(graph) {}

  HeaderTimes headers;
  std::size_t messages = 0;
  TimeFs slots = 0_fs;  // waits for slots beyond these headers: the credits come behind messages of other chains
};

// A receive ends when the sender has its credit, so that each receive of a PE in the chain delays its next send.
Serial serial_of(const LaunchCase& launch_case, const MessageChain& chain) {
  Serial serial(launch_case.graph);
  for (const ChainLink& link : chain.links) {
    serial.headers.add(link.sender, link.pe);
    serial.headers.add(link.pe, link.sender);
    ++serial.messages;
  }
  const auto add_stay = [&](const MessageChain::Stay& stay) {
    const TimeFs before = serial.headers.time();
    for (const MessageReceive* one : launch_case.waits->prompt_receives(stay.pe, stay.begin, stay.end)) {
      serial.headers.add(stay.pe, launch_case.graph.node(one->sender).pe_coord());
      ++serial.messages;
    }
    const TimeFs counted = serial.headers.time() - before,
                 slots = launch_case.waits->waited_for_slots(stay.pe, stay.begin, stay.end);
    serial.slots += slots - std::min(slots, counted);
  };
  for (const MessageChain::Stay& stay : chain.stays) add_stay(stay);
  add_stay(chain.rest);
  return serial;
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
  for (const auto& [sender, count] : received.by_sender) {
    HeaderTimes there(launch_case.graph), back(launch_case.graph);
    there.add(sender, pe);
    back.add(pe, sender);
    received.there_and_back = std::max(received.there_and_back, there.time() + back.time());
    if (sender == most) received.there = there.time();
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
  // What is loaded and stored for small messages is small, too, also by the PEs that are waited for, and each message
  // is a command. What they compute stays.
  using contract::TimeShare;
  const TimeFs waiting = launch_case.share(TimeShare::dependency),
               waits = waiting - std::min(waiting, launch_case.computing_elsewhere()),
               own = launch_case.exposed() + launch_case.share(TimeShare::scalar) + launch_case.share(TimeShare::tlb);
  const auto saved = [&](TimeFs all) {
    return std::min({part(all, 1.0 - left), all - std::min(all, received.there_and_back), without_wires(launch_case)});
  };
  Finding finding = launch_case.finding("small_messages", saved(std::max(waits, serial) + own),
                                        "messages carry few bytes, and their headers and credits take the time");
  finding.counted = saved(serial + own);
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

// Follows the chain of messages that the PE waited for, and of their credits. Returns how long it waited for messages
// whose headers come one behind the other: all the time when headers are most of it.
TimeFs find_serial_headers(const LaunchCase& launch_case, Findings& findings) {
  constexpr double kMost = 0.75;  // of the waiting
  const TimeFs waiting = launch_case.share(contract::TimeShare::dependency);
  const Serial serial = serial_of(launch_case, message_chain_of(launch_case));
  const double kept = kept_part(launch_case);
  const TimeFs all = part(serial.headers.time(), 1 / kept), time = std::min(all, waiting),
               with_slots = all + part(serial.slots, 1 / kept);
  if (time == 0_fs || with_slots < waiting / 2) return time;
  const auto [most, most_time] = serial.headers.most();
  const bool one_kind = most_time > serial.headers.time() / 4 * 3;
  const std::string kind(topology::node_kind_name(most));
  const std::optional<topology::NodeKind> one = one_kind ? std::optional(most) : std::nullopt;
  // While it waits, the PEs that it waits for also compute, load and store. The same nodes delay these transfers, its
  // own and the launch. The wires have no less to carry.
  const TimeFs others = std::min(waiting, launch_case.computing_elsewhere() + launch_case.exposed_elsewhere());
  const double of_kind = one_kind ? fs_to_ns(most_time) / fs_to_ns(serial.headers.time()) : 1;
  const auto saved = [&](TimeFs headers) {
    const TimeFs messages = std::min(part(std::min(headers, waiting), of_kind), waiting - others);
    return std::min(messages + transfer_headers(launch_case, one), without_wires(launch_case)) +
           launch_headers(launch_case, one);
  };
  // Where headers are most of it, what else a message needs is short and in part waited for behind other headers.
  const TimeFs most_of = with_slots >= part(waiting, kMost) ? waiting : with_slots;
  Finding finding = launch_case.finding(
      "header_bound", saved(most_of),
      fmt::format("messages spend their time in the overheads of nodes{}", one_kind ? " of kind " + kind : ""));
  finding.counted = saved(all);
  finding.evidence = {
      fmt::format("{} waits {}; the headers of {} messages and their credits, one behind the other, take {} of it",
                  pe_name(launch_case.pe.pe), ns_text(waiting), serial.messages, percent(time, waiting)),
      fmt::format("most of that passes in nodes of kind {}{}", kind,
                  decodes_serially(launch_case.graph, most) ? ", whose one decoder takes headers in turn" : "")};
  if (serial.slots > serial.headers.time() / 4) {
    finding.evidence.push_back(
        fmt::format("its sends and those of the chain wait {} more for slots, whose credits come behind other messages",
                    ns_text(part(serial.slots, 1 / kept))));
  }
  add_chain(launch_case, finding);
  finding.remedy =
      "send fewer messages one behind the other, over fewer nodes (another algorithm, root or placement), or more "
      "bytes with each; a machine with smaller overhead_ns is faster in proportion";
  findings.push_back(std::move(finding));
  return time < waiting / 2 ? time : waiting;
}

}  // namespace

TimeFs message_headers(const LaunchCase& launch_case, topology::NodeKind kind) {
  if (launch_case.waits == nullptr) return 0_fs;
  const Serial serial = serial_of(launch_case, message_chain_of(launch_case));
  const TimeFs headers = serial.headers.time();
  if (headers == 0_fs) return 0_fs;
  const TimeFs time = part(serial.headers.of(kind), 1 + fs_to_ns(serial.slots) / fs_to_ns(headers));
  return std::min(part(time, 1 / kept_part(launch_case)), launch_case.share(contract::TimeShare::dependency));
}

// The way of a launch is about that of host copies.
TimeFs launch_headers(const LaunchCase& launch_case, std::optional<topology::NodeKind> kind) {
  const PeCoord& pe = launch_case.pe.pe;
  std::optional<NodeId> from, to;
  for (std::size_t i = 0; i < launch_case.graph.nodes.size(); ++i) {
    const topology::Node& node = launch_case.graph.nodes[i];
    const NodeId id(static_cast<std::uint32_t>(i));
    if (node.kind == topology::NodeKind::pcie_ep && node.sip == pe.sip && !from) from = id;
    if (node.kind == topology::NodeKind::hbm_ctrl && node.sip == pe.sip && node.cube == pe.cube) to = id;
  }
  TimeFs time = 0_fs;
  if (!from || !to) return time;
  routing::PathRouter router(launch_case.graph);  // owns the path
  for (const NodeId id : router.find_path(*from, *to).nodes) {
    const topology::Node& node = launch_case.graph.node(id);
    if (!kind || node.kind == *kind) time += routing::node_overhead_fs(node) * 2;
  }
  return time;
}

void find_header_causes(const LaunchCase& launch_case, Findings& findings) {
  if (launch_case.waits == nullptr) return;
  const TimeFs serial = find_serial_headers(launch_case, findings);
  find_small_messages(launch_case, serial, findings);
}

}  // namespace kb::sim
