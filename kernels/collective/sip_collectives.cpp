#include "kernels/collective/sip_collectives.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "kernels/collective/reduction.h"
#include "kernels/collective/sip_exchange.h"
#include "kernels/collective/sip_path.h"
#include "kernels/collective/tile_blocks.h"
#include "kernels/tl/tl.h"
#include "platform/base/checked.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;
using Integer = std::int64_t;

constexpr Integer kMaxSips = 1'000'000;  // more than any machine has

// One chunk of every block in the exchange between SIPs.
struct Exchange {
  Context& tl;
  const SipPlace& sip;
  const SipPath& path;
  Ptr in, out;  // the tiles
  TileBlocks blocks;
  Dtype dtype;

  TensorHandle load(Integer block = 0) const { return tl.load(in + blocks.part(block).first, shape(block)); }
  void store(const TensorHandle& value, Integer block = 0) const { tl.store(out + blocks.part(block).first, value); }
  TensorHandle receive(std::string_view from) const { return tl.recv(from, shape(0), dtype); }
  std::array<const PathDirection*, 2> directions() const { return {&path.forward(), &path.backward()}; }
  Shape shape(Integer block) const { return Shape{blocks.part(block).size}; }
  Lane lane(std::string_view from) const {
    Lane lane;
    lane.from = from;
    lane.shape = [this](Integer) { return shape(0); };
    return lane;
  }
};

struct Arguments : SipArguments {
  Ptr in, out;
  Integer n_elem = 0, chunk = 0;
  std::string links;
  // Arguments of some of the kernels.
  Integer root = 0, source = 0, target = 0, by_blocks = 0;
  std::string op;
};

// Calls body(the SIP's place) on PEs that hold a tile.
template <typename Body>
void exchange_tiles(Context& tl, const Arguments& args, Body body) {
  const tl::LocalShard in = tl.cube_shard(args.in), out = tl.cube_shard(args.out);
  if (in.elements == 0 || out.elements == 0) return;
  tl.require(args.n_elem >= 1 && in.elements >= args.n_elem && out.elements >= args.n_elem,
             "n_elem is larger than the tile in this cube");
  const SipPlace sip = sip_place(tl, args, args.links);
  tl.require(args.sip_rank >= 0 && args.sip_rank < args.n_sips && args.n_sips <= kMaxSips, "sip_rank is not a rank");
  checked_product("n_sips x n_elem", {args.n_sips, args.n_elem});
  body(sip);
}

// Calls body(exchange) for every chunk of the tiles.
template <typename Body>
void exchange_chunks(Context& tl, const Arguments& args, Body body) {
  exchange_tiles(tl, args, [&](const SipPlace& sip) {
    const SipPath path(sip);
    const Integer step = args.chunk > 0 ? std::min(args.chunk, args.n_elem) : args.n_elem;
    for (Integer first = 0; first < args.n_elem; first += step) {
      tl::Scratch scratch(tl);
      const TileBlocks blocks{args.n_elem, first, std::min(step, args.n_elem - first)};
      body(Exchange{tl, sip, path, tl.cube_shard(args.in).ptr, tl.cube_shard(args.out).ptr, blocks, args.in.dtype()});
    }
  });
}

void require_rank(Context& tl, const Arguments& args, Integer rank, const char* name) {
  if (rank >= 0 && rank < args.n_sips) return;
  tl.fail(std::string(name) + " " + std::to_string(rank) + " is none of " + std::to_string(args.n_sips) + " ranks");
}

void broadcast(const Exchange& x, Integer root) {
  const PathToRank arm = x.path.arm_from(root);
  const TensorHandle value = arm.direction == nullptr ? x.load() : x.receive(arm.direction->from);
  for (const PathDirection* direction : x.directions()) {
    if (arm.direction == nullptr ? direction->targets > 0
                                 : arm.direction == direction && direction->passes_on(arm.distance))
      x.tl.send(direction->to, value);
  }
  x.store(value);
}

// Messages travel in the opposite directions of a broadcast.
void reduce(const Exchange& x, Integer root, const Reduction& reduction) {
  const PathToRank arm = x.path.arm_from(root);
  std::vector<Lane> lanes;
  TensorHandle acc = reduction.begin(x.load());
  for (const PathDirection* direction : x.directions()) {
    if (arm.direction == nullptr ? direction->targets == 0
                                 : arm.direction != direction || !direction->passes_on(arm.distance))
      continue;
    Lane lane = x.lane(direction->to);
    lane.items = 1;
    lane.act = [&](Integer, const TensorHandle* received) { reduction.add(acc, *received); };
    lanes.push_back(lane);
  }
  run_lanes(x.tl, reduction.dtype(), lanes);
  if (arm.direction != nullptr) {
    x.tl.send(arm.direction->from, acc);
    return;
  }
  x.store(reduction.finish(acc));
}

void all_reduce(const Exchange& x, const Reduction& reduction) {
  TensorHandle acc = reduction.begin(x.load());
  exchange_between_sips(x.tl, x.sip, reduction, acc, SumOrder::of_ranks);
  x.store(reduction.finish(acc));
}

void gather_from_all(const Exchange& x, const TensorHandle& own) {
  std::vector<Lane> lanes;
  for (const PathDirection* direction : x.directions()) {
    if (direction->targets > 0) x.tl.send(direction->to, own);
    Lane lane = x.lane(direction->from);
    lane.items = direction->sources;
    lane.shape = [&x, direction](Integer item) { return x.shape(x.path.rank_ahead(*direction, -item - 1)); };
    lane.act = [&x, direction](Integer item, const TensorHandle* received) {
      if (direction->passes_on(item + 1)) x.tl.send(direction->to, *received);
    };
    lane.settle = [&x, direction](Integer item, const TensorHandle* received) {
      x.store(*received, x.path.rank_ahead(*direction, -item - 1));
    };
    lanes.push_back(lane);
  }
  x.store(own, x.sip.rank);
  run_lanes(x.tl, x.dtype, lanes);
}

void all_gather(const Exchange& x) {
  gather_from_all(x, x.load());
}

// The block of each rank accumulates contributions on its way, from both sides; blocks with a longer path leave first.
TensorHandle reduce_own_block(const Exchange& x, const Reduction& reduction) {
  std::vector<Lane> lanes;
  std::array<TensorHandle, 2> next;  // this SIP's part of the passing block
  std::optional<TensorHandle> result;
  const auto load_result = [&x, &result, &reduction] {
    if (!result) result = reduction.begin(x.load(x.sip.rank));
  };
  for (const PathDirection* direction : x.directions()) {
    TensorHandle& part = next[lanes.size()];
    Lane lane = x.lane(direction->from);
    lane.items = direction->targets + (direction->sources > 0 ? 1 : 0);
    lane.first_round = direction->closed ? 0 : direction->sources;
    lane.unreceived = direction->sources == 0 ? lane.items : direction->closed ? 1 : 0;
    lane.shape = [&x, direction](Integer item) {
      return x.shape(item < direction->targets ? x.path.rank_ahead(*direction, direction->targets - item) : x.sip.rank);
    };
    lane.prepare = [&x, &part, &reduction, load_result, direction](Integer item) {
      if (item < direction->targets) {
        part = reduction.begin(x.load(x.path.rank_ahead(*direction, direction->targets - item)));
      } else {
        load_result();
      }
    };
    lane.act = [&x, &part, &result, &reduction, direction](Integer item, const TensorHandle* received) {
      TensorHandle& acc = item < direction->targets ? part : *result;
      if (received != nullptr) reduction.add(acc, *received);
      if (item < direction->targets) x.tl.send(direction->to, acc);
    };
    lanes.push_back(lane);
  }
  run_lanes(x.tl, reduction.dtype(), lanes);
  load_result();
  return reduction.finish(*result);
}

void reduce_scatter(const Exchange& x, const Reduction& reduction) {
  x.store(reduce_own_block(x, reduction));
}

// The nearest block is sent first.
void gather(const Exchange& x, Integer root) {
  const PathToRank arm = x.path.arm_from(root);
  const TensorHandle own = x.load();
  if (arm.direction != nullptr) {
    x.tl.send(arm.direction->from, own);
    for (Integer outer = arm.direction->beyond(arm.distance); outer > 0; --outer) {
      tl::Scratch message(x.tl);
      x.tl.send(arm.direction->from, x.receive(arm.direction->to));
    }
    return;
  }
  x.store(own, x.sip.rank);
  std::vector<Lane> lanes;
  for (const PathDirection* direction : x.directions()) {
    Lane lane = x.lane(direction->to);
    lane.items = direction->targets;
    lane.act = [&x, direction](Integer item, const TensorHandle* received) {
      x.store(*received, x.path.rank_ahead(*direction, item + 1));
    };
    lanes.push_back(lane);
  }
  run_lanes(x.tl, x.dtype, lanes);
}

// The farthest block is sent first.
void scatter(const Exchange& x, Integer root) {
  const PathToRank arm = x.path.arm_from(root);
  if (arm.direction != nullptr) {
    for (Integer outer = arm.direction->beyond(arm.distance); outer > 0; --outer) {
      tl::Scratch message(x.tl);
      x.tl.send(arm.direction->to, x.receive(arm.direction->from));
    }
    x.store(x.receive(arm.direction->from));
    return;
  }
  for (Integer item = 0; item < x.path.count(); ++item) {
    for (const PathDirection* direction : x.directions()) {
      if (item >= direction->targets) continue;
      tl::Scratch block(x.tl);
      x.tl.send(direction->to, x.load(x.path.rank_ahead(*direction, direction->targets - item)));
    }
  }
  x.store(x.load(x.sip.rank));
}

// For every distance, transfers all blocks with this distance hop by hop. The next block is loaded and the last one is
// stored while messages are in flight.
struct Shift {
  const Exchange& x;
  const PathDirection* direction;
  Integer distance = 1;
  // block to send for `distance`; block received for the previous distance
  std::optional<TensorHandle> next = {}, arrived = {};
  Integer from = 0;  // owner of the block in `arrived`

  void load_next() {
    next.reset();
    if (direction->targets >= distance) next = x.load(x.path.rank_ahead(*direction, distance));
  }
  void store_arrived() {
    if (arrived) x.store(*arrived, from);
    arrived.reset();
  }
  // Hop h brings the block of the SIP h behind, if it exists and its target is not beyond the end.
  Lane lane() {
    const Integer nearest = direction->closed ? 1 : std::max<Integer>(1, distance - direction->targets);
    const Integer farthest =
        direction->closed && distance > direction->targets ? 0 : std::min(distance, direction->sources);
    Lane lane = x.lane(direction->from);
    lane.items = std::max<Integer>(0, farthest - nearest + 1);
    lane.first_round = nearest;
    lane.act = [this, nearest, last = distance](Integer item, const TensorHandle* received) {
      if (nearest + item < last) {
        x.tl.send(direction->to, *received);
      } else {
        arrived = *received;
        from = x.path.rank_ahead(*direction, -last);
      }
    };
    return lane;
  }
};

void all_to_all(const Exchange& x) {
  std::vector<Shift> shifts;
  for (const PathDirection* direction : x.directions()) shifts.push_back({x, direction});
  for (Shift& shift : shifts) shift.load_next();
  for (Integer distance = 1; distance < x.path.count(); ++distance) {
    std::vector<Lane> lanes;
    for (Shift& shift : shifts) {
      if (shift.next) x.tl.send(shift.direction->to, *shift.next);
      lanes.push_back(shift.lane());
    }
    for (Shift& shift : shifts) shift.store_arrived();
    if (distance == 1) x.store(x.load(x.sip.rank), x.sip.rank);
    for (Shift& shift : shifts) {
      ++shift.distance;
      shift.load_next();
    }
    run_lanes(x.tl, x.dtype, lanes);
  }
  for (Shift& shift : shifts) shift.store_arrived();
  if (x.path.count() == 1) x.store(x.load(x.sip.rank), x.sip.rank);
}

void send_recv(const Exchange& x, Integer source, Integer target) {
  if (source == target) {
    if (x.sip.rank == source) x.store(x.load());
    return;
  }
  const PathToRank whole = x.path.arm(source, target), here = x.path.arm_from(source);
  if (x.sip.rank == source) return x.tl.send(whole.direction->to, x.load());
  if (x.sip.rank == target) return x.store(x.receive(whole.direction->from));
  if (here.direction == whole.direction && here.distance < whole.distance)
    x.tl.send(whole.direction->to, x.receive(whole.direction->from));
}

// A kernel void(tl::Context&, const Arguments&) with the common parameters and some additional ones.
template <typename Body>
contract::Kernel kernel(const char* name, const char* what, const tl::Parameters<Arguments>& more, Body body) {
  tl::Parameters<Arguments> parameters{{"in", &Arguments::in},
                                       {"out", &Arguments::out},
                                       {"n_elem", &Arguments::n_elem},
                                       {"n_sips", &Arguments::n_sips},
                                       {"sip_rank", &Arguments::sip_rank},
                                       {"sip_topo_kind", &Arguments::sip_topo_kind},
                                       {"sip_topo_w", &Arguments::sip_topo_w},
                                       {"sip_topo_h", &Arguments::sip_topo_h},
                                       {"chunk", &Arguments::chunk},
                                       {"links", &Arguments::links}};
  parameters.insert(parameters.end(), more.begin(), more.end());
  return tl::make_kernel(name, what, std::move(parameters), body);
}

contract::Kernel rooted(const char* name, const char* what, void (*collective)(const Exchange&, Integer)) {
  return kernel(name, what, {{"root", &Arguments::root}}, [collective](Context& tl, const Arguments& args) {
    require_rank(tl, args, args.root, "root");
    exchange_chunks(tl, args, [&](const Exchange& x) { collective(x, args.root); });
  });
}

contract::Kernel symmetric(const char* name, const char* what, void (*collective)(const Exchange&)) {
  return kernel(name, what, {},
                [collective](Context& tl, const Arguments& args) { exchange_chunks(tl, args, collective); });
}

// Each SIP combines a block of the tile, which all SIPs then get.
void all_reduce_by_blocks(Context& tl, const Arguments& args, const SipPlace& sip, Integer chunks) {
  const Reduction reduction(tl, args.op, args.n_sips, args.in.dtype());
  const SipPath path(sip);
  for (Integer chunk = 0; chunk < chunks; ++chunk) {
    tl::Scratch scratch(tl);
    const TileBlocks blocks{args.n_elem, 0, 0, args.n_sips, chunks, chunk};
    const Exchange x{tl, sip, path, tl.cube_shard(args.in).ptr, tl.cube_shard(args.out).ptr, blocks, args.in.dtype()};
    gather_from_all(x, reduce_own_block(x, reduction));
  }
}

// Also uses whole tiles when a block would have less than one element per message.
void all_reduce_tiles(Context& tl, const Arguments& args) {
  const Integer longest = (args.n_elem + args.n_sips - 1) / std::max<Integer>(1, args.n_sips);
  const Integer chunks = args.chunk > 0 ? (longest + args.chunk - 1) / args.chunk : 1;
  if (args.by_blocks != 0 && args.n_sips > 0 && args.n_elem / args.n_sips >= chunks) {
    exchange_tiles(tl, args, [&](const SipPlace& sip) { all_reduce_by_blocks(tl, args, sip, chunks); });
    return;
  }
  const Reduction reduction(tl, args.op, args.n_sips, args.in.dtype());
  exchange_chunks(tl, args, [&](const Exchange& x) { all_reduce(x, reduction); });
}

contract::Kernel reducing(const char* name, const char* what, void (*collective)(const Exchange&, const Reduction&)) {
  return kernel(name, what, {{"op", &Arguments::op}}, [collective](Context& tl, const Arguments& args) {
    const Reduction reduction(tl, args.op, args.n_sips, args.in.dtype());
    exchange_chunks(tl, args, [&](const Exchange& x) { collective(x, reduction); });
  });
}

void reduce_to_root(Context& tl, const Arguments& args) {
  require_rank(tl, args, args.root, "root");
  const Reduction reduction(tl, args.op, args.n_sips, args.in.dtype());
  exchange_chunks(tl, args, [&](const Exchange& x) { reduce(x, args.root, reduction); });
}

void send_to_target(Context& tl, const Arguments& args) {
  require_rank(tl, args, args.source, "source");
  require_rank(tl, args, args.target, "target");
  exchange_chunks(tl, args, [&](const Exchange& x) { send_recv(x, args.source, args.target); });
}

}  // namespace

std::vector<contract::Kernel> sip_collective_kernels() {
  return {
      symmetric("sip_all_gather", "every SIP gets the tiles of all SIPs, one behind the other", all_gather),
      symmetric("sip_all_to_all", "every SIP sends a block of its tile to every other", all_to_all),
      kernel("sip_allreduce", "all-reduce of the tiles of the same cube of all SIPs",
             {{"op", &Arguments::op}, {"by_blocks", &Arguments::by_blocks}}, all_reduce_tiles),
      rooted("sip_broadcast", "every SIP gets the tiles of one", broadcast),
      rooted("sip_gather", "one SIP gets the tiles of all SIPs, one behind the other", gather),
      kernel("sip_reduce", "one SIP gets the combination of the tiles of all SIPs",
             {{"root", &Arguments::root}, {"op", &Arguments::op}}, reduce_to_root),
      reducing("sip_reduce_scatter", "every SIP gets its block of the combination of all tiles", reduce_scatter),
      rooted("sip_scatter", "every SIP gets its block of the tile of one", scatter),
      kernel("sip_send_recv", "one SIP sends its tiles to another",
             {{"source", &Arguments::source}, {"target", &Arguments::target}}, send_to_target),
  };
}

}  // namespace kb::kernels
