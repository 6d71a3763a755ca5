#include "kernels/routing/gather_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

// Gathers the rows of out that this PE owns, some at a time, each in its own buffer until it is stored.
void gather_rows(Context& tl, Ptr table, Ptr indices, Ptr out, std::optional<std::int64_t> rows_at_once) {
  tl.require_matrices({table, out});
  const std::int64_t width = table.shape()[1], all = out.shape()[0];
  tl.require(out.shape()[1] == width && out.dtype() == table.dtype(),
             fmt::format("{} and {} must have rows of one length and dtype", shape_text(table), shape_text(out)));
  tl.require(element_count(indices.shape()) == all && !is_float(indices.dtype()) && indices.row_major(),
             fmt::format("{} must be {} integers, one for each row of {}", shape_text(indices), all, shape_text(out)));
  tl.require(table.row_major(), "the table must be whole or split by rows");
  tl.require(rows_at_once.value_or(1) >= 1, "rows is at least 1");
  const tl::LocalShard mine = tl.shard(out);
  if (mine.elements == 0) return;
  tl.require(mine.shape[1] == width, "out must be whole or split by rows");
  const std::int64_t rows = mine.shape[0], first = mine.first / width;
  const std::int64_t step = std::min(rows, rows_at_once.value_or(8));
  const TensorHandle own = tl.load(indices + first, {rows});
  struct Buffer {
    TensorHandle room;
    Future gathered, stored;
  };
  std::array<Buffer, 2> buffers{Buffer{tl.empty({step * width}, table.dtype()), {}, {}},
                                Buffer{tl.empty({step * width}, table.dtype()), {}, {}}};
  const auto buffer_of = [&](std::int64_t row) -> Buffer& { return buffers[static_cast<std::size_t>(row / step % 2)]; };
  const auto gather = [&](std::int64_t row) {
    if (row >= rows) return;
    if (row >= 2 * step) tl.wait(buffer_of(row).stored);
    const std::int64_t count = std::min(step, rows - row);
    const TensorHandle room = tl.view(buffer_of(row).room, 0, {count, width});
    buffer_of(row).gathered = tl.gather_into_async(room, table, tl.view(own, row, {count}));
  };
  gather(0);
  for (std::int64_t row = 0; row < rows; row += step) {
    gather(row + step);
    buffer_of(row).stored = tl.store_async(mine.ptr + row * width, tl.wait(buffer_of(row).gathered));
  }
}

}  // namespace

contract::Kernel gather_rows_kernel() {
  return tl::make_kernel("gather_rows", "row i of out is row indices[i] of table, on the rows of out that each PE owns",
                         {"table", "indices", "out", "rows"}, gather_rows);
}

}  // namespace kb::kernels
