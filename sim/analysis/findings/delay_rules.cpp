// Rules for the delays on the way of reads and writes: headers in nodes, the latency of memory, translation, dispatch.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/contract/share_words.h"
#include "platform/params/memory_traits.h"
#include "platform/routing/latency.h"
#include "sim/analysis/findings/case.h"

namespace kb::sim {
namespace {

using contract::TimeShare;
using topology::Node;
using topology::NodeKind;

constexpr double kFarther = 2;      // the last PE's transfers may have so much more delay than the average
constexpr double kNearly = 1.2;     // the same of the latency of a memory
constexpr double kLeast = 1.0 / 3;  // of the time of all transfers, for a delay that stands out

// Launches, barriers and copies of the host pass CPUs; transfers of kernels do not.
bool delays_transfers(const Node& node) {
  return !is_pe_block(node.kind) && node.kind != NodeKind::m_cpu && node.kind != NodeKind::io_cpu;
}

// Time of all transfers of the run, of which a delay is a part.
double transfer_ns(const LaunchCase& launch_case) {
  double ns = 0;
  for (const OperationCost& cost : launch_case.costs->most_expensive(OperationCosts::kAll)) {
    if (cost.name == "dma_read" || cost.name == "dma_write") ns += fs_to_ns(cost.time);
  }
  return ns;
}

// Delays of one sort, summed over all transfers of the run.
struct Delay {
  const char* rule;
  std::string headline, evidence, remedy;
  double ns = 0;
  double farther = 1;  // so much more the last PE's transfers may have
  std::optional<NodeKind> headers_of = {};
  double at_most() const { return farther * ns; }
};

void add_headers(const LaunchCase& launch_case, std::vector<Delay>& delays) {
  std::map<NodeKind, std::pair<double, std::int64_t>> by_kind;  // time and count
  for (std::size_t i = 0; i < launch_case.graph.nodes.size(); ++i) {
    const Node& node = launch_case.graph.nodes[i];
    if (!delays_transfers(node)) continue;
    const std::int64_t headers = launch_case.counts.at(NodeId(static_cast<std::uint32_t>(i))).headers;
    auto& [ns, count] = by_kind[node.kind];
    ns += fs_to_ns(routing::node_overhead_fs(node)) * static_cast<double>(headers);
    count += headers;
  }
  for (const auto& [kind, sum] : by_kind) {
    if (sum.first <= 0) continue;
    const std::string name(topology::node_kind_name(kind));
    delays.push_back({"header_bound", "transfers spend their time in the overheads of nodes of kind " + name,
                      fmt::format("{} headers pass nodes of kind {}, {:.1f} ns each", sum.second, name,
                                  sum.first / static_cast<double>(sum.second)),
                      "move more bytes with each command, have more of them under way, or read from nearer; a machine "
                      "with a smaller overhead_ns is faster in proportion",
                      sum.first, kFarther, kind});
  }
}

void add_decoders(const LaunchCase& launch_case, std::vector<Delay>& delays) {
  std::map<NodeKind, double> by_kind;
  launch_case.activity.for_each(record::Role::decoder, [&](const LaunchActivity::Row& row) {
    by_kind[launch_case.graph.node(row.series->node).kind] += fs_to_ns(row.sum.wait);
  });
  for (const auto& [kind, ns] : by_kind) {
    delays.push_back({"decoder_bound", "headers wait for the one decoder of a node",
                      fmt::format("nodes of kind {} take one header after the other (decode: serial)",
                                  topology::node_kind_name(kind)),
                      "send fewer and larger requests, spread them over more ways, or decode: pipelined", ns});
  }
}

// Reads wait for the first bytes of a memory.
void add_memory_latency(const LaunchCase& launch_case, std::vector<Delay>& delays) {
  double ns = 0, worst = 0;
  for (std::size_t i = 0; i < launch_case.graph.nodes.size(); ++i) {
    const Node& node = launch_case.graph.nodes[i];
    if (node.kind != NodeKind::hbm_ctrl) continue;
    const params::MemoryTraits memory = params::memory_traits(node.params, node.impl_params);
    const BlockCounts::Counts counts = launch_case.counts.at(NodeId(static_cast<std::uint32_t>(i)));
    const double access = fs_to_ns(memory.access);
    ns +=
        access * static_cast<double>(counts.reads) + fs_to_ns(memory.write_access) * static_cast<double>(counts.writes);
    worst = std::max(worst, access);
  }
  delays.push_back({"memory_latency", "reads wait for the access latency of the HBM",
                    fmt::format("an access of the HBM takes {} ns before its bytes come", worst),
                    "read more bytes with each command, or have more reads under way (rd_outstanding)", ns, kNearly});
}

// Time that commands and cycles of the PE's CPU can cost: what nothing hides, at it and at PEs that it waits for, or
// all that no wire or engine needs.
TimeFs scalar_time(const LaunchCase& launch_case) {
  const TimeFs exposed = launch_case.share_on_path(TimeShare::scalar);
  for (std::size_t i = 0; i < launch_case.graph.nodes.size(); ++i) {
    const Node& node = launch_case.graph.nodes[i];
    if (node.kind != NodeKind::pe_cpu || !(node.pe_coord() == launch_case.pe.pe)) continue;
    const BlockCounts::Counts counts = launch_case.counts.at(NodeId(static_cast<std::uint32_t>(i)));
    if (counts.kernels == 0_fs) break;
    const TimeFs all = part(launch_case.pe.exec, fs_to_ns(counts.scalar) / fs_to_ns(counts.kernels));
    return std::max(exposed, std::min({all, launch_case.slack(), without_wires(launch_case)}));
  }
  return exposed;
}

}  // namespace

TimeFs transfer_headers(const LaunchCase& launch_case, std::optional<NodeKind> kind) {
  if (launch_case.costs == nullptr) return 0_fs;
  double ns = 0;
  const double all = transfer_ns(launch_case);
  for (std::size_t i = 0; i < launch_case.graph.nodes.size(); ++i) {
    const Node& node = launch_case.graph.nodes[i];
    if (!delays_transfers(node) || (kind && node.kind != *kind)) continue;
    ns += fs_to_ns(routing::node_overhead_fs(node)) *
          static_cast<double>(launch_case.counts.at(NodeId(static_cast<std::uint32_t>(i))).headers);
  }
  return all <= 0 ? 0_fs : part(launch_case.exposed_on_path(), std::min(1.0, kFarther * ns / all));
}

TransferDelays delays_of_transfers(const LaunchCase& launch_case, TimeFs gain) {
  if (launch_case.costs == nullptr || launch_case.counts.of_node.empty()) return {};
  const double all = transfer_ns(launch_case);
  if (all <= 0) return {};
  std::vector<Delay> delays;
  add_headers(launch_case, delays);
  add_decoders(launch_case, delays);
  add_memory_latency(launch_case, delays);
  double sum = 0;
  for (const Delay& one : delays) sum += one.ns;
  const auto bound = [&](double ns) { return part(gain, std::min(1.0, ns / all)); };
  TransferDelays result{bound(kFarther * sum), std::nullopt};
  const auto most =
      std::max_element(delays.begin(), delays.end(), [](const Delay& a, const Delay& b) { return a.ns < b.ns; });
  if (most == delays.end() || most->ns < kLeast * all) return result;
  // The same nodes delay the launch, and messages. The wires have no less to carry.
  TimeFs saved = bound(most->at_most()), of_launch = 0_fs;
  const TimeFs counted = saved;
  if (most->headers_of) {
    saved += message_headers(launch_case, *most->headers_of);
    of_launch = launch_headers(launch_case, *most->headers_of);
  }
  result.largest =
      launch_case.finding(most->rule, std::min(saved, without_wires(launch_case)) + of_launch, most->headline);
  result.largest->counted = counted + of_launch;
  result.largest->evidence = {most->evidence, fmt::format("together {:.0f} % of the time of all reads and writes",
                                                          100 * std::min(1.0, most->ns / all))};
  result.largest->remedy = most->remedy;
  return result;
}

void find_delays_of_commands(const LaunchCase& launch_case, Findings& findings) {
  const TimeFs translation = launch_case.share_on_path(TimeShare::tlb);
  Finding finding = launch_case.finding("translation", translation, "accesses wait for their address translation",
                                        LaunchCase::kThousandth);
  finding.evidence = {fmt::format("{} waits for PE_MMU for {} of the launch", pe_name(launch_case.pe.pe),
                                  percent(translation, launch_case.total()))};
  finding.remedy =
      "move more bytes with each access, or larger pages (page_size); a smaller tlb_overhead_ns is faster in "
      "proportion";
  findings.push_back(std::move(finding));
  const TimeFs scalar = scalar_time(launch_case);
  finding = launch_case.finding("scalar_bound", scalar, "the CPU of the PE works, and commands wait for it",
                                LaunchCase::kThousandth);
  finding.evidence = {fmt::format("{} dispatches commands and spends cycles for {} of the launch",
                                  pe_name(launch_case.pe.pe), percent(scalar, launch_case.total()))};
  finding.remedy =
      "give fewer and larger commands, composites for instance; pe_cpu: dispatch_cycles is the cost of each command";
  findings.push_back(std::move(finding));
  const TimeFs tcm = launch_case.share_on_path(TimeShare::tcm);
  finding = launch_case.finding("tcm_bound", tcm, "the engines wait for operands and results of the TCM",
                                LaunchCase::kThousandth);
  finding.evidence = {fmt::format("FETCH and STORE move data between TCM and registers for {} of the launch at {}",
                                  percent(tcm, launch_case.total()), pe_name(launch_case.pe.pe))};
  finding.remedy = "larger tiles use an operand more often; pe_tcm: read_bw_gbs, write_bw_gbs are its rates";
  findings.push_back(std::move(finding));
}

}  // namespace kb::sim
