// Messages whose time consists of the overheads of nodes instead of the transfer of bytes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/contract/share_words.h"
#include "platform/params/forwarding_params.h"
#include "platform/routing/address_resolver.h"
#include "platform/routing/latency.h"
#include "platform/routing/path_router.h"
#include "sim/analysis/findings/case.h"

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
  // The kind of node with the largest part of the time.
  topology::NodeKind most() const {
    return std::max_element(by_kind_.begin(), by_kind_.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
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

}  // namespace

// Follows the chain of messages that the PE waited for, and of their credits: a receive ends when the sender has its
// credit.
void find_header_causes(const LaunchCase& launch_case, Findings& findings) {
  if (launch_case.waits == nullptr) return;
  const TimeFs end = launch_case.pe.start + launch_case.pe.exec,
               waiting = launch_case.share(contract::TimeShare::dependency);
  const auto chain = launch_case.waits->chain(launch_case.pe.pe, launch_case.launch.submitted, end);
  if (chain.empty()) return;
  HeaderTimes headers(launch_case.graph);
  for (const MessageReceive* one : chain) {
    const PeCoord sender = launch_case.graph.node(one->sender).pe_coord(),
                  receiver = launch_case.graph.node(one->receiver).pe_coord();
    headers.add(sender, receiver);
    headers.add(receiver, sender);
  }
  const TimeFs time = std::min(headers.time(), waiting);
  if (time == 0_fs || time < waiting / 2) return;
  const std::string kind(topology::node_kind_name(headers.most()));
  const bool serial = decodes_serially(launch_case.graph, headers.most());
  Finding finding = launch_case.finding("header_bound", time, "messages spend their time in the overheads of nodes");
  finding.evidence = {
      fmt::format("{} waits {}; the headers of {} messages and their credits, one behind the other, take {} of it",
                  pe_name(launch_case.pe.pe), ns_text(waiting), chain.size(), percent(time, waiting)),
      fmt::format("most of that passes in nodes of kind {}{}", kind,
                  serial ? ", whose one decoder takes headers in turn" : "")};
  add_chain(launch_case, finding);
  finding.remedy =
      "send fewer messages one behind the other, over fewer nodes (another algorithm, root or placement), or more "
      "bytes "
      "with each; a machine with smaller overhead_ns is faster in proportion";
  findings.push_back(std::move(finding));
}

}  // namespace kb::sim
