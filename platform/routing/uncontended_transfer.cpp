#include "platform/routing/uncontended_transfer.h"

#include <algorithm>

#include "platform/params/forwarding_params.h"
#include "platform/routing/latency.h"

namespace kb::routing {
namespace {

using topology::NodeKind;

PathPart part_of(const topology::Node& node) {
  if (!node.cube.valid()) return PathPart::fabric;
  if (node.kind == NodeKind::ucie || node.kind == NodeKind::ucie_conn) return PathPart::ucie;
  if (node.kind == NodeKind::hbm_ctrl || node.kind == NodeKind::sram) return PathPart::memory;
  return node.kind == NodeKind::pe_dma ? PathPart::pe : PathPart::mesh;
}

bool charges_header_only(const topology::Node& node) {
  if (node.params.table()->type() != typeid(params::ForwardingParams)) return node.kind == NodeKind::hbm_ctrl;
  return node.params.as<params::ForwardingParams>().decode == params::Decode::serial;
}

// A wire belongs to the part of its outer end; wires of PEs and controllers belong to the mesh.
PathPart part_of(const topology::Graph& graph, const topology::Edge& edge) {
  const auto of_end = [&](NodeId id) {
    const PathPart part = part_of(graph.node(id));
    return part == PathPart::memory ? PathPart::mesh : part;
  };
  return std::max({of_end(edge.src), of_end(edge.dst), PathPart::mesh});
}

std::vector<PathStep> steps_of(const topology::Graph& graph, const std::vector<EdgeId>& edges) {
  std::vector<PathStep> steps;
  for (const EdgeId id : edges) {
    const topology::Edge& edge = graph.edge(id);
    const topology::Node& node = graph.node(edge.dst);
    steps.push_back({part_of(graph, edge), part_of(node), routing::propagation_fs(edge, graph.spec.ns_per_mm), edge.bw,
                     node.overhead, charges_header_only(node), node.kind == NodeKind::pcie_ep});
  }
  return steps;
}

// The flits of a message in flight, as their arrival times at the current node.
class Flits {
 public:
  Flits(const TransferPath& path, std::uint64_t bytes, TransferTimes& times)
      : path_(path), bytes_(bytes), times_(times), at_((bytes + path.flit_bytes - 1) / path.flit_bytes) {}

  void pass(const PathStep& step) {
    cross(step);
    if (step.gathers) gather(step);
    if (step.header_only) {
      decode(step.overhead, step.node);
    } else {
      wait(step.overhead, step.node);
    }
  }

  void cross(const PathStep& wire) {
    TimeFs available = 0_fs;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const std::uint64_t left = bytes_ - i * path_.flit_bytes;
      available = time_sum(std::max(at_[i], available), wire.bw.occupancy(std::min(left, path_.flit_bytes)));
      move(i, time_sum(available, wire.propagation), wire.wire);
    }
  }

  // The first flit pays the overhead, and the others catch up with it.
  void decode(TimeFs overhead, PathPart part) {
    TimeFs free = time_sum(at_[0], overhead);
    for (std::size_t i = 0; i < at_.size(); ++i) {
      free = std::max(at_[i], free);
      move(i, free, part);
    }
  }

  // Serves each burst in the pseudo-channel of its address.
  void access(std::uint64_t offset) {
    if (!path_.pc_bw.limited()) return;
    std::vector<TimeFs> channels(path_.stripe.channels());
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const std::uint64_t bytes = std::min(bytes_ - i * path_.flit_bytes, path_.flit_bytes);
      const std::uint64_t accessed = (bytes + path_.access_bytes - 1) / path_.access_bytes * path_.access_bytes;
      TimeFs& free = channels[path_.stripe.channel_of(offset + i * path_.flit_bytes)];
      free = time_sum(std::max(at_[i], free), path_.pc_bw.occupancy(accessed));
      move(i, free, PathPart::memory);
    }
  }

  void wait(TimeFs time, PathPart part) {
    for (std::size_t i = 0; i < at_.size(); ++i) move(i, time_sum(at_[i], time), part);
  }

  // A read command starts a burst whenever the return wire can take one.
  void start_bursts(TimeFs now) {
    const TimeFs interval = path_.back.front().bw.occupancy(path_.flit_bytes);
    for (std::size_t i = 0; i < at_.size(); ++i) at_[i] = time_sum(now, time_product(i, interval));
  }

  // Data returns in order.
  void line_up() {
    for (std::size_t i = 1; i < at_.size(); ++i) at_[i] = std::max(at_[i], at_[i - 1]);
  }

  TimeFs first() const { return at_.front(); }
  TimeFs last() const { return *std::max_element(at_.begin(), at_.end()); }

 private:
  void gather(const PathStep& step) {
    const TimeFs all = at_.back();
    for (std::size_t i = 0; i < at_.size(); ++i) move(i, all, step.node);
  }

  void move(std::size_t flit, TimeFs to, PathPart part) {
    if (flit == 0) times_.parts[static_cast<std::size_t>(part)] += to - at_[0];
    at_[flit] = to;
  }

  const TransferPath& path_;
  std::uint64_t bytes_;
  TransferTimes& times_;
  std::vector<TimeFs> at_;
};

// A message without data, to the end of the path; excludes the overhead of the last node.
TimeFs message(const std::vector<PathStep>& steps, TransferTimes* times) {
  TimeFs now = 0_fs;
  const auto spend = [&](TimeFs time, PathPart part) {
    now = time_sum(now, time);
    if (times != nullptr) accumulate(times->parts[static_cast<std::size_t>(part)], time);
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    spend(steps[i].propagation, steps[i].wire);
    if (i + 1 < steps.size()) spend(steps[i].overhead, steps[i].node);
  }
  return now;
}

}  // namespace

TransferPath transfer_path(const topology::Graph& graph, const routing::Route& route) {
  const topology::Node& memory = graph.node(route.nodes.back());
  TransferPath path;
  path.there = steps_of(graph, route.edges);
  path.back = steps_of(graph, {route.reverse_edges.rbegin(), route.reverse_edges.rend()});
  path.flit_bytes = graph.spec.flit_bytes();
  if (memory.kind == NodeKind::sram) {
    path.there.back().gathers = true;
    return path;
  }
  const params::MemoryTraits traits = params::memory_traits(memory.params, memory.impl_params);
  path.pc_bw = traits.channel_bw;
  path.access_bytes = traits.access_bytes;
  path.access = traits.access;
  path.write_access = traits.write_access;
  path.stripe = address::channel_stripe(memory.params.as<params::HbmCtrlParams>());
  return path;
}

TransferTimes uncontended_write(const TransferPath& path, std::uint64_t bytes, std::uint64_t offset) {
  TransferTimes times;
  Flits data(path, bytes, times);
  for (const PathStep& step : path.there) data.pass(step);
  data.access(offset);
  data.wait(path.write_access, PathPart::memory);
  times.delivered = data.last();
  times.last_flit_delay = times.delivered - data.first();
  times.answered = time_sum(times.delivered, message(path.back, nullptr));
  return times;
}

TransferTimes uncontended_read(const TransferPath& path, std::uint64_t bytes, std::uint64_t offset) {
  TransferTimes times;
  const PathStep& controller = path.there.back();
  const TimeFs asked = time_sum(message(path.there, &times), controller.overhead);
  times.parts[static_cast<std::size_t>(PathPart::memory)] += controller.overhead;
  Flits data(path, bytes, times);
  data.start_bursts(asked);
  data.access(offset);
  data.wait(path.access, PathPart::memory);
  data.line_up();
  for (std::size_t i = 0; i + 1 < path.back.size(); ++i) data.pass(path.back[i]);
  data.cross(path.back.back());
  times.delivered = times.answered = data.last();
  times.last_flit_delay = times.delivered - data.first();
  return times;
}

}  // namespace kb::routing
