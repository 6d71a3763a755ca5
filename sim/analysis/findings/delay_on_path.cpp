#include "sim/analysis/findings/delay_on_path.h"

#include <algorithm>

#include "platform/address/phys_addr.h"
#include "platform/contract/completion.h"
#include "platform/routing/latency.h"

namespace kb::sim {
namespace {

using Delays = std::vector<std::pair<TimeFs, std::uint64_t>>;  // each, and number

// The sum of the `count` longest.
TimeFs longest(Delays delays, std::uint64_t count) {
  std::sort(delays.begin(), delays.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  TimeFs time = 0_fs;
  for (const auto& [each, number] : delays) {
    const std::uint64_t taken = std::min(number, count);
    time += each * static_cast<std::int64_t>(taken);
    count -= taken;
  }
  return time;
}

}  // namespace

TimeFs DelayOnPath::saved(const Delay& delay) {
  if (launch_case_.costs == nullptr) return 0_fs;
  const TimeFs start = launch_case_.pe.start;
  TimeFs elsewhere = 0_fs;
  for (const auto& [pe, list] : launch_case_.spans) {
    for (const auto& [begin, end] : list) elsewhere += std::min(end - begin, at(pe, begin, end, Span::part, delay));
  }
  return std::min(at(launch_case_.pe.pe, start, start + launch_case_.pe.exec, Span::kernel, delay),
                  launch_case_.exposed()) +
         std::min(elsewhere, launch_case_.exposed_elsewhere());
}

TimeFs DelayOnPath::most_saved(const Delay& delay) {
  const TimeFs last = launch_case_.pe.start + launch_case_.pe.exec;
  TimeFs most = launch_case_.pe.exec;
  if (launch_case_.costs == nullptr) return most;
  for (const contract::PeResult& pe : launch_case_.launch.pes) {
    const TimeFs end = pe.start + pe.exec;
    const TimeFs own = std::min(at(pe.pe, pe.start, end, Span::kernel, delay), pe.shares.exposed_dma());
    most = std::min(most, last - end + own + pe.shares.of(contract::TimeShare::dependency));
  }
  return most;
}

TimeFs DelayOnPath::headers(NodeId pe_dma, NodeId memory, std::optional<topology::NodeKind> kind) {
  if (pe_dma == memory) return 0_fs;
  TimeFs time = 0_fs;
  for (const NodeId id : router_.find_path(pe_dma, memory).nodes) {
    const topology::Node& node = launch_case_.graph.node(id);
    if (!is_pe_block(node.kind) && (!kind || node.kind == *kind)) time += routing::node_overhead_fs(node) * 2;
  }
  return time;
}

TimeFs DelayOnPath::at(const PeCoord& pe, TimeFs begin, TimeFs end, Span span, const Delay& delay) {
  const NodeId dma = resolver_.find_pe_node(pe, topology::NodeKind::pe_dma);
  const PeTransfers* const transfers = launch_case_.costs->transfers(dma);
  if (transfers == nullptr) return 0_fs;
  // At the start of a kernel no transfer is under way.
  const std::uint64_t across = span == Span::kernel ? 0 : 1;
  const auto count = [&](const TransferChain& chain) { return chain.count(begin, end) + across; };
  Delays reads, writes, all;
  for (const auto& [part, target] : transfers->targets) {
    const auto memory = resolver_.resolve_memory(address::PhysAddr::decode(target.address), 1);
    const PerTransfer each = delay(dma, memory);
    reads.emplace_back(each.read, target.commands);
    writes.emplace_back(each.write, target.commands);
    all.emplace_back(std::max(each.read, each.write), target.commands);
  }
  return std::min(
      longest(std::move(reads), count(transfers->reads)) + longest(std::move(writes), count(transfers->writes)),
      longest(std::move(all), count(transfers->all)));
}

}  // namespace kb::sim
