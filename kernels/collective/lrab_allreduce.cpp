#include "kernels/collective/lrab_allreduce.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/collective/reduction.h"
#include "kernels/collective/sip_exchange.h"
#include "kernels/tl/tl.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;

// One dimension of the cube mesh as a cube at `place` sees it.
struct Line {
  std::int64_t place, size, root;
  std::string_view lower, upper;  // directions towards smaller and larger places

  bool is_root() const { return place == root; }
  bool has_lower() const { return place > 0; }
  bool has_upper() const { return place < size - 1; }
  // Towards the root, and away from it.
  std::string_view inward() const { return place < root ? upper : lower; }
  std::string_view outward() const { return place < root ? lower : upper; }
  bool is_end() const { return place < root ? !has_lower() : !has_upper(); }
};

// Phases 1 and 2: what comes from outside is added, the result goes inward; the root merges both sides (K-57).
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

// Phases 4 and 5: the root sends to both sides, the others take and pass on.
void broadcast_line(Context& tl, const Line& line, TensorHandle& value) {
  if (line.is_root()) {
    if (line.has_lower()) tl.send(line.lower, value);
    if (line.has_upper()) tl.send(line.upper, value);
    return;
  }
  value = tl.recv(line.inward(), value.shape(), value.dtype());
  if (!line.is_end()) tl.send(line.outward(), value);
}

void lrab_allreduce(Context& tl, Ptr t, std::int64_t n_elem, std::int64_t cube_w, std::int64_t cube_h,
                    std::int64_t n_sips, std::int64_t sip_rank, std::int64_t sip_topo_kind, std::int64_t sip_topo_w,
                    std::int64_t sip_topo_h, std::optional<std::string> op, std::optional<std::int64_t> root,
                    std::optional<std::int64_t> chunk) {
  if (tl.program_id(0) != 0) return;
  const std::int64_t cubes = cube_w * cube_h;
  const std::int64_t cube = cubes == 1 ? 0 : tl.program_id(1);
  tl.require(n_elem >= 1 && cubes >= 1 && cube < cubes, "n_elem, cube_w and cube_h do not fit this machine");
  const std::int64_t root_cube = root && *root >= 0 ? *root : cube_h / 2 * cube_w + cube_w / 2;  // K-56
  tl.require(root_cube < cubes, "the root is no cube of the mesh");
  const Line row{cube % cube_w, cube_w, root_cube % cube_w, "W", "E"};
  const Line column{cube / cube_w, cube_h, root_cube / cube_w, "N", "S"};
  const SipPlace sip = sip_place(tl, n_sips, sip_rank, sip_topo_kind, sip_topo_w, sip_topo_h);
  const Reduction reduction(tl, op.value_or("sum"), cubes * n_sips);
  const std::int64_t step = chunk && *chunk > 0 ? std::min(*chunk, n_elem) : n_elem;

  std::vector<TensorHandle> parts;
  for (std::int64_t first = 0; first < n_elem; first += step) {
    TensorHandle acc = tl.load(t + (cube * n_elem + first), {std::min(step, n_elem - first)});
    tl::Scratch messages(tl);
    reduce_line(tl, row, reduction, acc);
    if (row.is_root()) {
      reduce_line(tl, column, reduction, acc);
      if (column.is_root()) {
        exchange_between_sips(tl, sip, reduction, acc);
        reduction.finish(acc);
      }
    }
    parts.push_back(acc);
  }
  for (std::int64_t first = 0, i = 0; first < n_elem; first += step, ++i) {
    tl::Scratch messages(tl);
    TensorHandle value = parts[static_cast<std::size_t>(i)];
    if (row.is_root()) broadcast_line(tl, column, value);
    broadcast_line(tl, row, value);
    tl.store(t + (cube * n_elem + first), value);
  }
}

}  // namespace

contract::Kernel lrab_allreduce_kernel() {
  return tl::make_kernel("lrab_allreduce",
                         "all-reduce of one tile per cube: rows, columns, SIPs, and back to every cube (PE 0 of each)",
                         {"t", "n_elem", "cube_w", "cube_h", "n_sips", "sip_rank", "sip_topo_kind", "sip_topo_w",
                          "sip_topo_h", "op", "root", "chunk"},
                         lrab_allreduce);
}

}  // namespace kb::kernels
