#include "kernels/gemm/gemm.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;
using OptionalInt = std::optional<std::int64_t>;

// An A tile, a B tile, the f32 accumulator and one product of this size fit into 1 MiB for every dtype.
constexpr std::int64_t kTileM = 128;
constexpr std::int64_t kTileK = 256;
constexpr std::int64_t kTileN = 128;

struct PlainGemmArguments {
  Ptr a, b, c;
  std::int64_t m = 0, k = 0, n = 0;
  OptionalInt tile_m, tile_k, tile_n, pad;
};

struct Problem {
  Ptr a, b, c;
  std::int64_t m, k, n, pitch;  // elements from one row of B or C to the next
  std::int64_t tile_m, tile_k, tile_n;
};

void require_shape(Context& tl, Ptr tensor, std::int64_t rows, std::int64_t cols) {
  if (tensor.shape() == Shape{rows, cols}) return;
  tl.fail(fmt::format("tensor '{}' is {}, the arguments m, k, n, pad ask for {}", tensor.tensor().name,
                      format_shape(tensor.shape()), format_shape({rows, cols})));
}

// Tiles are parts of row-major matrices, so that a tensor may only be split by rows.
void require_row_major(Context& tl, Ptr tensor) {
  if (tensor.row_major()) return;
  tl.fail(fmt::format("tensor '{}' has shards of shape {}; place it row_wise or replicate", tensor.tensor().name,
                      format_shape(tensor.tensor().shard_shape)));
}

Problem make_problem(Context& tl, const PlainGemmArguments& args) {
  Problem p{args.a, args.b, args.c, args.m, args.k, args.n, args.n + args.pad.value_or(0), 0, 0, 0};
  require_shape(tl, p.a, p.m, p.k);
  require_shape(tl, p.b, p.k, p.pitch);
  require_shape(tl, p.c, p.m, p.pitch);
  for (const Ptr tensor : {p.a, p.b, p.c}) require_row_major(tl, tensor);
  p.tile_m = std::min(p.m, args.tile_m.value_or(kTileM));
  p.tile_k = std::min(p.k, args.tile_k.value_or(kTileK));
  p.tile_n = std::min(p.n, args.tile_n.value_or(kTileN));
  tl.require(p.tile_m > 0 && p.tile_k > 0 && p.tile_n > 0, "tile sizes must be at least 1");
  return p;
}

// Computes rows [row, row + rows) and columns [col, col + cols) of C.
void output_tile(Context& tl, const Problem& p, std::int64_t row, std::int64_t rows, std::int64_t col,
                 std::int64_t cols) {
  const tl::Scratch tile_scope(tl);
  const Dtype out_dtype = p.c.dtype();
  const Dtype acc_dtype = p.k <= p.tile_k ? out_dtype : default_acc_dtype(p.a.dtype());
  const TensorHandle acc = tl.empty({rows, cols}, acc_dtype);
  for (std::int64_t at = 0; at < p.k; at += p.tile_k) {
    const tl::Scratch step_scope(tl);
    const std::int64_t depth = std::min(p.tile_k, p.k - at);
    const TensorHandle a = tl.load(p.a + row * p.k + at, {rows, depth}, p.a.dtype(), p.k);
    const TensorHandle b = tl.load(p.b + at * p.pitch + col, {depth, cols}, p.b.dtype(), p.pitch);
    if (at == 0) {
      tl.dot_into(acc, a, b);
    } else {
      tl.dot(a, b, acc);
    }
  }
  tl.store(p.c + row * p.pitch + col, acc, p.pitch);
}

void compute_rows(Context& tl, const Problem& p, std::int64_t first, std::int64_t count) {
  for (std::int64_t row = first; row < first + count; row += p.tile_m) {
    for (std::int64_t col = 0; col < p.n; col += p.tile_n) {
      output_tile(tl, p, row, std::min(p.tile_m, first + count - row), col, std::min(p.tile_n, p.n - col));
    }
  }
}

void gemm(Context& tl, const PlainGemmArguments& args) {
  const Problem p = make_problem(tl, args);
  const tl::LocalShard mine = tl.shard(p.c);
  compute_rows(tl, p, mine.first / p.pitch, mine.elements / p.pitch);
}

void gemm_single(Context& tl, const PlainGemmArguments& args) {
  const Problem p = make_problem(tl, args);
  compute_rows(tl, p, 0, p.m);
}

tl::Parameters<PlainGemmArguments> gemm_parameters() {
  return {{"a", &PlainGemmArguments::a},           {"b", &PlainGemmArguments::b},
          {"c", &PlainGemmArguments::c},           {"m", &PlainGemmArguments::m},
          {"k", &PlainGemmArguments::k},           {"n", &PlainGemmArguments::n},
          {"tile_m", &PlainGemmArguments::tile_m}, {"tile_k", &PlainGemmArguments::tile_k},
          {"tile_n", &PlainGemmArguments::tile_n}, {"pad", &PlainGemmArguments::pad}};
}

}  // namespace

contract::Kernel gemm_kernel() {
  return tl::make_kernel("gemm", "C (m, n) = A (m, k) x B (k, n); each PE computes the rows of C it owns",
                         gemm_parameters(), gemm);
}

contract::Kernel gemm_single_kernel() {
  return tl::make_kernel("gemm_single", "C (m, n) = A (m, k) x B (k, n), all of it on the PE that runs it",
                         gemm_parameters(), gemm_single);
}

}  // namespace kb::kernels
