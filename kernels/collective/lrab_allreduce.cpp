#include "kernels/collective/lrab_allreduce.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/collective/reduction.h"
#include "kernels/collective/sip_exchange.h"
#include "kernels/tl/tl.h"
#include "platform/base/checked.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;

// One dimension of the cube mesh, from the view of a cube at `place`.
struct Line {
  std::int64_t place = 0, size = 0, root = 0;
  std::string_view lower, upper;  // directions towards smaller and larger places

  bool is_root() const { return place == root; }
  bool has_lower() const { return place > 0; }
  bool has_upper() const { return place < size - 1; }
  // Directions towards the root, and away from it.
  std::string_view inward() const { return place < root ? upper : lower; }
  std::string_view outward() const { return place < root ? lower : upper; }
  bool is_end() const { return place < root ? !has_lower() : !has_upper(); }
};

// Phases 1 and 2: adds the message from outside and sends the result inward; the root merges both sides (K-57).
void reduce_line(Context& tl, const Line& line, const Reduction& reduction, TensorHandle& acc) {
  const auto take = [&](std::string_view from) { reduction.add(acc, tl.recv(from, acc.shape(), acc.dtype())); };
  if (line.is_root()) {
    if (line.has_lower()) take(line.lower);
    if (line.has_upper()) take(line.upper);
    return;
  }
  if (!line.is_end()) take(line.outward());
  tl.send(line.inward(), acc);
}

// Phases 4 and 5: the root sends to both sides, the others receive and forward.
void broadcast_line(Context& tl, const Line& line, Dtype dtype, TensorHandle& value) {
  if (line.is_root()) {
    if (line.has_lower()) tl.send(line.lower, value);
    if (line.has_upper()) tl.send(line.upper, value);
    return;
  }
  value = tl.recv(line.inward(), value.shape(), dtype);
  if (!line.is_end()) tl.send(line.outward(), value);
}

// Position of this PE on all levels; a level with one member is trivial.
struct Levels {
  Line pes, row, column;
  SipPlace sip;
  std::int64_t tile = 0;  // index of this PE's tile in the SIP's tensor

  bool is_root() const { return pes.is_root() && row.is_root() && column.is_root(); }
};

struct Tiles {
  Ptr t;
  std::int64_t n_elem = 0, step = 0;  // step: elements per message

  Ptr at(std::int64_t tile, std::int64_t first) const { return t + (tile * n_elem + first); }
  std::int64_t message(std::int64_t first) const { return std::min(step, n_elem - first); }
};

// K-52 from the inside out and back, with the messages of a phase one after the other.
void combine(Context& tl, const Levels& at, const Tiles& tiles, const Reduction& reduction) {
  std::vector<TensorHandle> parts;
  for (std::int64_t first = 0; first < tiles.n_elem; first += tiles.step) {
    TensorHandle acc = reduction.begin(tl.load(tiles.at(at.tile, first), {tiles.message(first)}));
    {
      tl::Scratch messages(tl);
      reduce_line(tl, at.pes, reduction, acc);
      if (at.pes.is_root()) reduce_line(tl, at.row, reduction, acc);
      if (at.pes.is_root() && at.row.is_root()) reduce_line(tl, at.column, reduction, acc);
      if (at.is_root()) exchange_between_sips(tl, at.sip, reduction, acc);
    }
    parts.push_back(at.is_root() ? reduction.finish(acc) : acc);
  }
  const Dtype dtype = tiles.t.dtype();
  for (std::int64_t first = 0, i = 0; first < tiles.n_elem; first += tiles.step, ++i) {
    tl::Scratch messages(tl);
    TensorHandle value = parts[static_cast<std::size_t>(i)];
    if (at.pes.is_root()) {
      if (at.row.is_root()) broadcast_line(tl, at.column, dtype, value);
      broadcast_line(tl, at.row, dtype, value);
    }
    broadcast_line(tl, at.pes, dtype, value);
    tl.store(tiles.at(at.tile, first), value);
  }
}

// The PEs of a cube as a ring with PE 0 as root: the lower half of the PEs is above it, the upper half below (K-67).
Line ring_of_pes(std::int64_t pe, std::int64_t pes) {
  const std::int64_t root = (pes - 1) / 2;
  return {(pe + root) % pes, pes, root, "intra_W", "intra_E"};
}

// Arguments of both kernels (K-45).
struct LrabArguments : SipArguments {
  Ptr t;
  std::int64_t n_elem = 0, cube_w = 0, cube_h = 0;
  std::optional<std::string> op;
  std::optional<std::int64_t> root, chunk;
};

void hierarchical(Context& tl, const LrabArguments& args, const Line& pes) {
  const std::int64_t cubes = checked_product("cube_w x cube_h", {args.cube_w, args.cube_h});
  const std::int64_t cube = cubes == 1 ? 0 : tl.program_id(1);
  tl.require(args.n_elem >= 1 && cubes >= 1 && cube < cubes, "n_elem, cube_w and cube_h do not fit this machine");
  checked_product("tiles x n_elem", {cubes, pes.size, args.n_elem});
  const std::int64_t root =
      args.root && *args.root >= 0 ? *args.root : args.cube_h / 2 * args.cube_w + args.cube_w / 2;  // K-56
  tl.require(root < cubes, "the root is not a cube of the mesh");
  Levels at;
  at.pes = pes;
  at.row = {cube % args.cube_w, args.cube_w, root % args.cube_w, "W", "E"};
  at.column = {cube / args.cube_w, args.cube_h, root / args.cube_w, "N", "S"};
  at.sip = sip_place(tl, args);
  at.tile = cube * pes.size + (pes.size == 1 ? 0 : tl.program_id(0));
  const Reduction reduction(tl, args.op.value_or("sum"),
                            checked_product("tiles of all SIPs", {cubes, pes.size, args.n_sips}), args.t.dtype());
  const std::int64_t step = args.chunk && *args.chunk > 0 ? std::min(*args.chunk, args.n_elem) : args.n_elem;
  combine(tl, at, {args.t, args.n_elem, step}, reduction);
}

void lrab_allreduce(Context& tl, const LrabArguments& args) {
  if (tl.program_id(0) == 0) hierarchical(tl, args, {0, 1, 0, "", ""});
}

void three_level_allreduce(Context& tl, const LrabArguments& args) {
  hierarchical(tl, args, ring_of_pes(tl.program_id(0), tl.num_programs(0)));
}

tl::Parameters<LrabArguments> lrab_parameters() {
  return {{"t", &LrabArguments::t},
          {"n_elem", &LrabArguments::n_elem},
          {"cube_w", &LrabArguments::cube_w},
          {"cube_h", &LrabArguments::cube_h},
          {"n_sips", &LrabArguments::n_sips},
          {"sip_rank", &LrabArguments::sip_rank},
          {"sip_topo_kind", &LrabArguments::sip_topo_kind},
          {"sip_topo_w", &LrabArguments::sip_topo_w},
          {"sip_topo_h", &LrabArguments::sip_topo_h},
          {"op", &LrabArguments::op},
          {"root", &LrabArguments::root},
          {"chunk", &LrabArguments::chunk}};
}

}  // namespace

contract::Kernel lrab_allreduce_kernel() {
  return tl::make_kernel("lrab_allreduce",
                         "all-reduce of one tile per cube: rows, columns, SIPs, and back to every cube (PE 0 of each)",
                         lrab_parameters(), lrab_allreduce);
}

contract::Kernel three_level_allreduce_kernel() {
  return tl::make_kernel("three_level_allreduce",
                         "all-reduce of one tile per PE: the PEs of each cube, the cubes, the SIPs, and back",
                         lrab_parameters(), three_level_allreduce);
}

}  // namespace kb::kernels
