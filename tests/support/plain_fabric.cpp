#include "tests/support/plain_fabric.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <queue>
#include <tuple>

#include "modules/kit/params.h"

namespace kb::test {
namespace {

using topology::NodeKind;

// Order of arrivals at a node: time, incoming edge, sequence on it. Injections come before every arrival.
using Order = std::tuple<TimeFs, long, std::uint64_t>;

struct Flit {
  std::size_t request = 0;
  bool response = false;
  std::size_t hop = 0;  // position in the path of the node it is at
  std::uint32_t index = 0;
  bool message = false;  // zero bytes
};

// In this order at one node at one time.
enum class Kind { arrive, open, slot, enter, leave };

struct Event {
  TimeFs time;
  std::uint32_t node;
  Kind kind;
  Order order;
  std::uint32_t tie;
  Flit flit;
};

struct Later {
  bool operator()(const Event& a, const Event& b) const {
    return std::tie(a.time, a.node, a.kind, a.order, a.tie) > std::tie(b.time, b.node, b.kind, b.order, b.tie);
  }
};

class Simulation {
 public:
  Simulation(const topology::Graph& graph, const std::vector<PlainRequest>& requests, PlainUses* uses)
      : graph_(graph), requests_(requests), uses_(uses), times_(requests.size()), state_(requests.size()) {
    flit_bytes_ = graph.spec.flit_bytes();
    edges_.resize(graph.edges.size());
    if (uses_ != nullptr) {
      uses_->edges.assign(graph.edges.size(), {});
      uses_->ways.assign(requests.size(), {});
    }
    for (std::size_t i = 0; i < requests.size(); ++i) inject(i);
  }

  std::vector<PlainTimes> run() {
    while (!queue_.empty()) {
      const Event e = queue_.top();
      queue_.pop();
      now_ = e.time;
      switch (e.kind) {
        case Kind::arrive:
          arrive(e);
          break;
        case Kind::open:
          open(e);
          break;
        case Kind::slot:
          issue(e);
          break;
        case Kind::enter:
          enter(e);
          break;
        case Kind::leave:
          leave(e);
          break;
      }
    }
    return times_;
  }

 private:
  struct EdgeState {
    TimeFs available = 0_fs;
    std::uint64_t sequence = 0;
  };
  struct ReadCommand {
    Event arrival;
    std::uint32_t next = 0;  // burst
  };
  // A requester that has open commands, and since when it waits for a slot.
  struct Turn {
    std::uint32_t requester;
    TimeFs since;
  };
  // Read issuer of one HBM controller.
  struct Issuer {
    std::map<std::uint32_t, std::deque<ReadCommand>> commands;  // by requester: open ones
    std::deque<Turn> turns;
    TimeFs free = 0_fs;
    bool slot_is_due = false;
  };
  struct NodeState {
    TimeFs worker = 0_fs;  // serial decode, SRAM service, HBM write decode
    Issuer issuer;
    std::map<std::uint64_t, std::pair<TimeFs, int>> channels;  // pc -> (free, last direction)
  };
  struct RequestState {
    TimeFs finish = 0_fs;
    std::uint32_t gathered = 0;
  };

  static TimeFs round_fs(double ns) { return TimeFs(std::llround(ns * 1e6)); }
  TimeFs overhead(NodeId n) const { return graph_.node(n).overhead; }
  std::uint32_t flits(const PlainRequest& r) const {
    return static_cast<std::uint32_t>((r.bytes + flit_bytes_ - 1) / flit_bytes_);
  }
  std::uint64_t bytes_of(const Flit& f) const {
    const PlainRequest& r = requests_[f.request];
    return f.index + 1 == flits(r) ? r.bytes - std::uint64_t{f.index} * flit_bytes_ : flit_bytes_;
  }
  NodeId node_of(const Flit& f) const { return requests_[f.request].path[f.hop]; }
  bool at_end(const Flit& f) const { return f.response ? f.hop == 0 : f.hop + 1 == requests_[f.request].path.size(); }
  bool carries_data(const Flit& f) const { return requests_[f.request].write != f.response; }

  void push(TimeFs time, NodeId node, Kind kind, const Order& order, const Flit& flit) {
    queue_.push({time, node.value, kind, order, flit.index, flit});
  }

  void inject(std::size_t i) {
    const PlainRequest& r = requests_[i];
    const NodeId source = r.path.front();
    const bool host = graph_.node(source).kind == NodeKind::pcie_ep;
    Flit f{i, false, 0, 0, !r.write};
    push(r.issue + (host ? overhead(source) : 0_fs), source, Kind::leave, {-1_fs, -1, i}, f);
  }

  void arrive(const Event& e) {
    const NodeId node = node_of(e.flit);
    switch (graph_.node(node).kind) {
      case NodeKind::noc_router:
      case NodeKind::switch_:
      case NodeKind::ucie:
      case NodeKind::ucie_conn:
      case NodeKind::io_noc:
        forward(e, node);
        break;
      case NodeKind::hbm_ctrl:
        hbm(e, node);
        break;
      default:
        endpoint(e, node);
        break;
    }
  }

  void forward(const Event& e, NodeId node) {
    if (!e.flit.message && text(graph_.node(node), "decode") == "serial") {
      TimeFs& worker = nodes_[node.value].worker;
      const TimeFs begin = std::max(e.time, worker);
      worker = begin + (e.flit.index == 0 ? overhead(node) : 0_fs);
      if (uses_ != nullptr && worker > begin)
        uses_->decoders[node].push_back(passage(e.flit, e.time, begin, worker, 0));
      push(worker, node, Kind::leave, e.order, e.flit);
      return;
    }
    push(e.time + overhead(node), node, Kind::leave, e.order, e.flit);
  }

  void hbm(const Event& e, NodeId node) {
    NodeState& s = nodes_[node.value];
    if (!e.flit.message) {
      s.worker = std::max(e.time, s.worker) + (e.flit.index == 0 ? overhead(node) : 0_fs);
      push(s.worker, node, Kind::enter, e.order, e.flit);
      return;
    }
    push(e.time + overhead(node), node, Kind::open, e.order, e.flit);
  }

  // Who has a command to read takes turns with the others, one burst each.
  void open(const Event& e) {
    const NodeId node = node_of(e.flit);
    Issuer& issuer = nodes_[node.value].issuer;
    const bool fair = text(graph_.node(node), "read_order") == "fair";
    const std::uint32_t requester = fair ? requests_[e.flit.request].path.front().value : 0;
    std::deque<ReadCommand>& commands = issuer.commands[requester];
    if (commands.empty()) issuer.turns.push_back({requester, e.time});
    commands.push_back({e, 0});
    if (!issuer.slot_is_due) push(std::max(e.time, issuer.free), node, Kind::slot, {}, e.flit);
    issuer.slot_is_due = true;
  }

  // The first in turn whose next burst finds its pseudo-channel free; the very first when there is none, or when it has
  // waited for a burst of each requester.
  std::size_t turn_of_slot(NodeId node, TimeFs slot) {
    Issuer& issuer = nodes_[node.value].issuer;
    const topology::Node& n = graph_.node(node);
    const TimeFs burst = round_fs(number(n, "burst_bytes") / number(n, "pc_bw_gbs"));
    if (slot - issuer.turns.front().since >= issuer.turns.size() * burst) return 0;
    for (std::size_t i = 0; i < issuer.turns.size(); ++i) {
      const ReadCommand& command = issuer.commands[issuer.turns[i].requester].front();
      const PlainRequest& r = requests_[command.arrival.flit.request];
      const std::uint64_t pc = channel_of(n, r.hbm_offset + std::uint64_t{command.next} * flit_bytes_);
      if (nodes_[node.value].channels[pc].first <= slot) return i;
    }
    return 0;
  }

  void issue(const Event& e) {
    const NodeId node = node_of(e.flit);
    Issuer& issuer = nodes_[node.value].issuer;
    const auto turn = issuer.turns.begin() + static_cast<std::ptrdiff_t>(turn_of_slot(node, e.time));
    const std::uint32_t requester = turn->requester;
    issuer.turns.erase(turn);
    std::deque<ReadCommand>& commands = issuer.commands[requester];
    ReadCommand& command = commands.front();
    Flit burst = command.arrival.flit;
    burst.index = command.next++;
    burst.message = false;
    push(e.time, node, Kind::enter, command.arrival.order, burst);
    const PlainRequest& r = requests_[burst.request];
    issuer.free = e.time + occupancy(edge_to(node, r.path[burst.hop - 1]), accessed_bytes(node, burst));
    if (command.next == flits(r)) commands.pop_front();
    if (!commands.empty()) issuer.turns.push_back({requester, e.time});
    issuer.slot_is_due = !issuer.turns.empty();
    if (issuer.slot_is_due) push(issuer.free, node, Kind::slot, {}, e.flit);
  }

  std::uint64_t accessed_bytes(NodeId node, const Flit& burst) const {
    const auto unit = static_cast<std::uint64_t>(number(graph_.node(node), "access_bytes"));
    return (bytes_of(burst) + unit - 1) / unit * unit;
  }

  std::uint64_t channel_of(const topology::Node& n, std::uint64_t address) const {
    const auto channels = static_cast<std::uint64_t>(number(n, "num_pcs"));
    std::uint64_t burst = address / static_cast<std::uint64_t>(number(n, "burst_bytes"));
    std::uint64_t channel = burst % channels;
    if (text(n, "channel_hash") != "xor") return channel;
    while (channels > 1 && (burst /= channels) > 0) channel ^= burst % channels;
    return channel;
  }

  // A burst enters its pseudo-channel.
  void enter(const Event& e) {
    const NodeId node = node_of(e.flit);
    const topology::Node& n = graph_.node(node);
    const PlainRequest& r = requests_[e.flit.request];
    const std::uint64_t pc = channel_of(n, r.hbm_offset + std::uint64_t{e.flit.index} * flit_bytes_);
    auto& [free, direction] = nodes_[node.value].channels[pc];
    const int mine = r.write ? 1 : 2;
    const TimeFs turn = direction != 0 && direction != mine ? round_fs(number(n, "switch_penalty_ns")) : 0_fs;
    const TimeFs start = std::max(e.time, free + turn);
    free = start + round_fs(static_cast<double>(accessed_bytes(node, e.flit)) / number(n, "pc_bw_gbs"));
    direction = mine;
    if (uses_ != nullptr) {
      const auto burst = static_cast<std::uint64_t>(number(n, "burst_bytes"));
      uses_->channels[{node, pc}].push_back(passage(e.flit, e.time, start, free, burst));
    }
    RequestState& state = state_[e.flit.request];
    state.finish = std::max(state.finish, free);
    Flit reply = e.flit;
    reply.response = true;
    if (!r.write) {
      push(state.finish + round_fs(number(n, "access_ns")), node, Kind::leave, {e.time, 0, 0}, reply);
    } else if (e.flit.index + 1 == flits(r)) {
      times_[e.flit.request].delivered = state.finish;
      reply.index = 0;
      reply.message = true;
      push(state.finish, node, Kind::leave, {e.time, 1, 0}, reply);
    }
  }

  // PCIE_EP, SRAM and the initiators gather whole messages.
  void endpoint(const Event& e, NodeId node) {
    const PlainRequest& r = requests_[e.flit.request];
    RequestState& state = state_[e.flit.request];
    if (!e.flit.message) {
      if (++state.gathered < flits(r)) return;
      state.gathered = 0;
    }
    Flit whole = e.flit;
    whole.index = 0;
    if (!at_end(whole)) {
      push(e.time + overhead(node), node, Kind::leave, e.order, whole);
      return;
    }
    if (whole.response) {
      if (!r.write) times_[whole.request].delivered = e.time;
      times_[whole.request].completed = e.time + overhead(node);
      return;
    }
    if (graph_.node(node).kind == NodeKind::pe_dma) return tcm(e, node, whole);
    TimeFs& free = nodes_[node.value].worker;  // SRAM: one transaction at a time
    const TimeFs start = std::max(e.time, free);
    free = start + overhead(node);
    if (uses_ != nullptr) uses_->memories[{node, 0}].push_back(passage(whole, e.time, start, free, r.bytes));
    if (r.write) times_[whole.request].delivered = free;
    whole.response = true;
    whole.message = r.write;
    push(free, node, Kind::leave, e.order, whole);
  }

  // The TCM behind a PE_DMA: a channel per direction, for what the wire does not hide, at least a flit.
  void tcm(const Event& e, NodeId node, Flit whole) {
    const PlainRequest& r = requests_[whole.request];
    const std::string& dma = graph_.node(node).id;
    const topology::Node& memory = graph_.node(*graph_.find_node(dma.substr(0, dma.rfind('.')) + ".pe_tcm"));
    const double gbs = number(memory, r.write ? "write_bw_gbs" : "read_bw_gbs");
    const NodeId router = r.path[whole.hop - 1];
    const EdgeId wire = r.write ? edge_to(router, node) : edge_to(node, router);
    const std::uint64_t last = r.bytes - (flits(r) - 1) * flit_bytes_;
    const std::uint64_t flit = r.write ? last : std::min(r.bytes, flit_bytes_);
    const TimeFs held = std::max(round_fs(static_cast<double>(flit) / gbs),
                                 round_fs(static_cast<double>(r.bytes) / gbs) - occupancy(wire, r.bytes - last));
    TimeFs& free = nodes_[node.value].channels[r.write ? 1 : 0].first;
    const TimeFs start = std::max(e.time + overhead(node), free);
    free = start + held;
    if (uses_ != nullptr) {
      const NodeId tcm_node = *graph_.find_node(memory.id);
      uses_->memories[{tcm_node, r.write ? 1 : 0}].push_back(
          passage(whole, e.time + overhead(node), start, free, r.bytes));
    }
    if (r.write) times_[whole.request].delivered = free;
    whole.response = true;
    whole.message = r.write;
    push(free, node, Kind::leave, {start, std::get<1>(e.order), std::get<2>(e.order)}, whole);
  }

  // A flit, a message or (from a gathering node) a whole block of flits is offered to its edge.
  void leave(const Event& e) {
    const NodeId node = node_of(e.flit);
    const NodeKind kind = graph_.node(node).kind;
    const bool gathers = kind == NodeKind::pcie_ep || kind == NodeKind::sram || kind == NodeKind::pe_dma;
    const std::uint32_t count = gathers && !e.flit.message ? flits(requests_[e.flit.request]) : 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      Flit f = e.flit;
      if (gathers) f.index = i;
      send(f, node, e.time);
    }
  }

  void send(Flit f, NodeId from, TimeFs time) {
    f.hop = f.response ? f.hop - 1 : f.hop + 1;
    const NodeId to = node_of(f);
    const EdgeId edge = edge_to(from, to);
    EdgeState& wire = edges_[edge.value];
    TimeFs through = std::max(time, wire.available);
    if (!f.message) {
      const TimeFs start = through;
      through += occupancy(edge, bytes_of(f));
      wire.available = through;
      if (uses_ != nullptr) uses_->edges[edge.value].push_back(passage(f, time, start, through, bytes_of(f)));
    }
    const TimeFs propagation = std::max(1_fs, round_fs(graph_.edge(edge).distance_mm * graph_.spec.ns_per_mm));
    if (uses_ != nullptr && (f.message || f.index + 1 == flits(requests_[f.request]))) {
      std::vector<PlainStep>& way = uses_->ways[f.request];
      const TimeFs occupied = f.message ? 0_fs : occupancy(edge, bytes_of(f));
      const TimeFs came = way.empty() ? requests_[f.request].issue : way.back().arrived;
      way.push_back({f.response, f.message, edge, came, time, through - occupied, through, through + propagation});
    }
    push(through + propagation, to, Kind::arrive, {through + propagation, edge.value, wire.sequence++}, f);
  }

  static PlainPassage passage(const Flit& f, TimeFs ready, TimeFs start, TimeFs end, std::uint64_t bytes) {
    return {f.request, f.response, f.index, ready, start, end, bytes};
  }
  EdgeId edge_to(NodeId from, NodeId to) const { return *graph_.find_edge(from, to); }
  TimeFs occupancy(EdgeId edge, std::uint64_t bytes) const {
    const Bandwidth bw = graph_.edge(edge).bw;
    return bw.limited() ? round_fs(static_cast<double>(bytes) / bw.gbs()) : 0_fs;
  }

  const topology::Graph& graph_;
  const std::vector<PlainRequest>& requests_;
  PlainUses* uses_;
  std::uint64_t flit_bytes_ = 256;
  std::vector<PlainTimes> times_;
  std::vector<RequestState> state_;
  std::vector<EdgeState> edges_;
  std::map<std::uint32_t, NodeState> nodes_;
  std::priority_queue<Event, std::vector<Event>, Later> queue_;
  TimeFs now_ = 0_fs;
};

}  // namespace

std::vector<PlainTimes> simulate_plain(const topology::Graph& graph, const std::vector<PlainRequest>& requests,
                                       PlainUses* uses) {
  return Simulation(graph, requests, uses).run();
}

}  // namespace kb::test
