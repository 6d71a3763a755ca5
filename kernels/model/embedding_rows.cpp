#include "kernels/model/embedding_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "kernels/model/column_tiles.h"
#include "kernels/model/table_blocks.h"
#include "kernels/tl/tl.h"
#include "platform/base/checked.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

constexpr std::int64_t kBytesAtOnce = std::int64_t{128} * 1024;  // of the result

// Rows of out that this PE owns, some at a time: those that the table has are gathered while the ones before are
// stored.
class OwnRows {
 public:
  OwnRows(Context& tl, const TableBlocks& table, const tl::LocalShard& out, std::int64_t column)
      : tl_(tl),
        table_(table),
        out_(out.ptr),
        column_(column),
        width_(out.shape[1]),
        item_(static_cast<std::int64_t>(item_size(out.ptr.dtype()))),
        at_once_(std::clamp<std::int64_t>(kBytesAtOnce / (width_ * item_), 1, out.shape[0])) {
    for (Buffer& buffer : buffers_) buffer.room = tl.empty({at_once_ * width_}, out_.dtype());
    zeros_ = tl.zeros({at_once_ * width_}, out_.dtype());
  }

  // `rows`: of the table, or -1, for each own row.
  void run(const std::vector<std::int64_t>& rows) {
    const auto count = static_cast<std::int64_t>(rows.size());
    gather(rows, 0);
    for (std::int64_t first = 0; first < count; first += at_once_) {
      gather(rows, first + at_once_);
      store(first);
    }
    for (Buffer& buffer : buffers_) wait(buffer.stores);
  }

 private:
  struct Buffer {
    TensorHandle room;
    std::vector<std::int64_t> present, absent;  // own rows
    std::vector<Future> loads, stores;
  };
  Buffer& buffer(std::int64_t first) { return buffers_[static_cast<std::size_t>(first / at_once_ % 2)]; }
  void wait(std::vector<Future>& pending) {
    for (const Future& future : pending) tl_.wait(future);
    pending.clear();
  }

  void gather(const std::vector<std::int64_t>& rows, std::int64_t first) {
    const std::int64_t end = std::min(static_cast<std::int64_t>(rows.size()), first + at_once_);
    if (first >= end) return;
    Buffer& into = buffer(first);
    wait(into.stores);
    into.present.clear();
    into.absent.clear();
    std::vector<std::int64_t> wanted;
    for (std::int64_t i = first; i < end; ++i) {
      const std::int64_t row = rows[static_cast<std::size_t>(i)];
      (row < 0 ? into.absent : into.present).push_back(i);
      if (row >= 0) wanted.push_back(row);
    }
    if (wanted.empty()) return;
    const auto count = static_cast<std::int64_t>(wanted.size());
    table_.load(tl_, tl_.view(into.room, 0, {count, width_}), wanted, column_, into.loads);
  }

  void store(std::int64_t first) {
    Buffer& from = buffer(first);
    wait(from.loads);
    for (const auto& [own, values] : {std::pair(&from.present, &from.room), {&from.absent, &zeros_}}) {
      if (own->empty()) continue;
      const TensorHandle value = tl_.view(*values, 0, {static_cast<std::int64_t>(own->size()), width_});
      from.stores.push_back(tl_.scatter_async(out_, *own, value));
    }
  }

  Context& tl_;
  const TableBlocks& table_;
  Ptr out_;
  std::int64_t column_, width_, item_, at_once_;
  std::array<Buffer, 2> buffers_;
  TensorHandle zeros_;
};

void embedding_rows(Context& tl, Ptr ids, Ptr table, Ptr out, std::optional<std::int64_t> first) {
  tl.require_matrices({ids, table, out});
  const std::int64_t m = out.shape()[0], v = table.shape()[0];
  const std::int64_t begin = first.value_or(0);
  checked_sum("first + rows of the table", {begin, v});
  tl.require(out.shape()[1] == table.shape()[1] && out.dtype() == table.dtype(),
             fmt::format("{} and {} must have rows of one length and dtype", shape_text(table), shape_text(out)));
  tl.require(ids.shape() == Shape{1, m} && !is_float(ids.dtype()) && ids.row_major(),
             fmt::format("{} must be (1, {}) integers, one for each row of {}", shape_text(ids), m, shape_text(out)));
  const TableBlocks blocks(tl, table);
  const ColumnTiles tiles(tl, out);
  const tl::LocalShard mine = tl.shard(out);
  if (mine.elements == 0) return;
  const ColumnTiles::Place place = tiles.place(mine.first);
  std::vector<std::int64_t> rows = tl.load(ids + place.row, {mine.shape[0]}).read<std::int64_t>();
  for (std::int64_t& row : rows) row = row >= begin && row - begin < v ? row - begin : -1;
  OwnRows(tl, blocks, mine, place.column).run(rows);
}

}  // namespace

contract::Kernel embedding_rows_kernel() {
  return tl::make_kernel("embedding_rows", "rows of a table by known ids, zeros for ids it does not have",
                         {"ids", "table", "out", "first"}, embedding_rows);
}

}  // namespace kb::kernels
