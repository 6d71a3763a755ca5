#include "platform/model/roofline.h"

#include <algorithm>

#include "platform/ops/engine_rates.h"
#include "platform/params/memory_traits.h"
#include "platform/params/pe_gemm_params.h"
#include "platform/params/pe_math_params.h"

namespace kb::model {
namespace {

bool is_equal(const Work& a, const Work& b) {
  return a.macs == b.macs && a.element_ops == b.element_ops && a.weight_bytes == b.weight_bytes &&
         a.activation_bytes == b.activation_bytes && a.cache_bytes == b.cache_bytes && a.link_bytes == b.link_bytes;
}

bool are_equal(const GraphOp& a, const GraphOp& b) {
  return a.kind == b.kind && a.name == b.name && a.numbers == b.numbers && (a.layer < 0) == (b.layer < 0) &&
         is_equal(a.work, b.work);
}

void add_layer(OpGroup& group, std::int64_t layer) {
  ++group.count;
  if (layer < 0) return;
  if (!group.layers.empty() && group.layers.back().end == layer) {
    ++group.layers.back().end;
  } else {
    group.layers.push_back({layer, layer + 1});
  }
}

bool contains(const std::vector<std::size_t>& list, std::size_t index) {
  return std::find(list.begin(), list.end(), index) != list.end();
}

// How often these operations read a tensor; 0 when others read it, too.
std::uint64_t reads_inside(const Graph& graph, const std::vector<std::size_t>& ops, std::size_t tensor) {
  std::uint64_t reads = 0;
  for (std::size_t at = ops.front(); at < graph.ops.size(); ++at) {
    if (!contains(graph.ops[at].inputs, tensor)) continue;
    if (!contains(ops, at)) return 0;
    ++reads;
  }
  return reads;
}

}  // namespace

SipRoofs sip_roofs(const topology::MachineSpec& machine, Dtype dtype) {
  const auto& gemm = machine.pe_params<params::PeGemmParams>("pe_gemm");
  const auto& math = machine.pe_params<params::PeMathParams>("pe_math");
  const params::MemoryTraits hbm = machine.hbm_traits();
  const Bandwidth slice =
      params::slice_bandwidth(hbm.channels, machine.hbm_channel_bw, machine.hbm_to_router_bw * hbm.efficiency, 1.0);
  SipRoofs roofs;
  roofs.pes = static_cast<std::int64_t>(machine.cubes_per_sip()) * machine.pes_per_cube();
  const auto pes = static_cast<double>(roofs.pes);
  roofs.hbm_bytes = machine.hbm_bytes_per_cube * static_cast<std::uint64_t>(machine.cubes_per_sip());
  roofs.hbm = slice * pes;
  roofs.link = std::min(machine.io_chiplets.front().pcie_ep_to_noc_bw, machine.io_ep_to_switch_bw);
  roofs.macs = MacRate(gemm.macs_per_ns.of(dtype).per_ns() * pes);
  roofs.elements = ElementRate(math.elements_per_ns.of(dtype).per_ns() * pes);
  roofs.engines_share = gemm.shared_resource == params::SharedResource::accel_slot &&
                        math.shared_resource == params::SharedResource::accel_slot;
  return roofs;
}

std::string_view limit_name(Limit limit) {
  switch (limit) {
    case Limit::memory:
      return "memory";
    case Limit::compute:
      return "compute";
    case Limit::link:
      return "link";
  }
  return "";
}

TimeFs RoofTime::all() const {
  return std::max({memory, compute, link});
}

Limit RoofTime::limit() const {
  if (link == all() && link != 0_fs) return Limit::link;
  return compute > memory ? Limit::compute : Limit::memory;
}

Work work_together(const Graph& graph, const std::vector<std::size_t>& ops) {
  Work sum;
  for (const std::size_t op : ops) {
    const Work& work = graph.ops[op].work;
    sum.macs += work.macs;
    sum.element_ops += work.element_ops;
    sum.weight_bytes += work.weight_bytes;
    sum.activation_bytes += work.activation_bytes;
    sum.cache_bytes += work.cache_bytes;
    sum.link_bytes += work.link_bytes;
  }
  for (const std::size_t op : ops) {
    for (const std::size_t output : graph.ops[op].outputs) {
      if (graph.tensors[output].kind != TensorKind::activation) continue;
      const std::uint64_t reads = reads_inside(graph, ops, output);
      if (reads > 0) sum.activation_bytes -= (1 + reads) * graph.tensors[output].bytes;
    }
  }
  return sum;
}

RoofTime roof_time(const Work& work, const SipRoofs& roofs) {
  RoofTime time;
  time.memory = roofs.hbm.occupancy(work.memory_bytes());
  const TimeFs products = roofs.macs.time(work.macs), elements = roofs.elements.time(work.element_ops);
  time.compute = roofs.engines_share ? time_sum(products, elements) : std::max(products, elements);
  time.link = roofs.link.occupancy(work.link_bytes);
  return time;
}

std::vector<OpGroup> op_groups(const std::vector<Graph>& graphs, const SipRoofs& roofs) {
  std::vector<OpGroup> groups;
  for (std::size_t stage = 0; stage < graphs.size(); ++stage) {
    for (const GraphOp& op : graphs[stage].ops) {
      auto found = std::find_if(groups.begin(), groups.end(),
                                [&op](const OpGroup& group) { return are_equal(*group.first, op); });
      if (found == groups.end()) {
        found = groups.insert(groups.end(), OpGroup{&op, stage, {}, 0, op.work, roof_time(op.work, roofs)});
      }
      add_layer(*found, op.layer);
    }
  }
  return groups;
}

StageTime& StageTime::operator+=(const StageTime& other) {
  all = time_sum(all, other.all);
  memory = time_sum(memory, other.memory);
  compute = time_sum(compute, other.compute);
  link = time_sum(link, other.link);
  return *this;
}

StageTime stage_time(const Graph& graph, const SipRoofs& roofs) {
  StageTime sum;
  for (const GraphOp& op : graph.ops) {
    const RoofTime time = roof_time(op.work, roofs);
    sum += {time.all(), time.memory, time.compute, time.link};
  }
  return sum;
}

}  // namespace kb::model
