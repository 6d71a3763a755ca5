#include "kernels/linear/rms_norm_matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

constexpr std::int64_t kWhole = 32;                // smallest tile of the array in rows or columns
constexpr std::int64_t kRowsAtATime = 64;          // rows per pass over w, unless the launch sets more
constexpr std::int64_t kWeightBlock = 128 * 1024;  // bytes per block of w: enough to hide the latency of its load

struct RmsNormMatmulArguments {
  Ptr x, g, w, y;
  std::optional<double> eps;
  std::optional<std::int64_t> rows, depth, columns, buffers;
};

struct RmsNormMatmul {
  Ptr x, g;
  tl::LocalShard w, y;  // this PE's parts
  double eps = 0;
  std::int64_t m = 0, k = 0, n = 0;               // n: columns of this PE
  std::int64_t rows = 0, depth = 0, columns = 0;  // sizes of a step
  std::int64_t chunk = 0;                         // columns of x per load, a multiple of depth
  std::int64_t buffers = 0;                       // buffers for blocks of w
};

// Number of columns of w that fit the scratch in addition to the needs of `rows` rows; less than 1 when there is no
// room.
std::int64_t columns_that_fit(Context& tl, const RmsNormMatmul& args, std::int64_t rows) {
  constexpr std::int64_t kSpare = 32 * 1024;  // norms, and the alignment of results
  const auto item = static_cast<std::int64_t>(item_size(args.x.dtype()));
  const std::int64_t of_x = (rows * (args.k + args.chunk) + args.k) * item;
  const std::int64_t per_column = (args.buffers * args.depth + rows) * item + rows * 4;
  const std::int64_t room = static_cast<std::int64_t>(tl.info().scratch_bytes) - of_x - rows * kWhole * 4 - kSpare;
  return room >= args.n * per_column ? args.n : room / per_column / kWhole * kWhole;
}

// Short blocks of w start the computation early; long ones pay the load latency less often. Long pieces of rows of x
// use more memory channels. Selects the longest ones that leave room for all columns.
void choose_depth(Context& tl, std::optional<std::int64_t> given, RmsNormMatmul& args) {
  struct Choice {
    std::int64_t depth, piece;  // piece: bytes of a row of x
  };
  const auto item = static_cast<std::int64_t>(item_size(args.x.dtype()));
  for (const Choice& choice : {Choice{256, 2048}, {128, 2048}, {128, 1024}, {64, 1024}}) {
    args.depth = std::min(given.value_or(choice.depth), args.k);
    args.chunk = std::min(args.k, args.depth * std::max<std::int64_t>(1, choice.piece / (args.depth * item)));
    const bool small = given || args.depth * args.n * item <= kWeightBlock;
    if (small && columns_that_fit(tl, args, args.rows) >= args.n) return;
  }
}

// Chooses the sizes that the launch does not set: as many rows and columns as fit the scratch.
void choose_sizes(Context& tl, const RmsNormMatmulArguments& given, RmsNormMatmul& args) {
  args.rows = std::min(given.rows.value_or(kRowsAtATime), args.m);
  choose_depth(tl, given.depth, args);
  const std::int64_t enough = std::min<std::int64_t>(args.n, 4 * kWhole);
  if (!given.rows) {
    while (args.rows > 1 && columns_that_fit(tl, args, args.rows) < enough) args.rows = (args.rows + 1) / 2;
  }
  const std::int64_t most = columns_that_fit(tl, args, args.rows);
  tl.require(most >= 1 || given.columns,
             fmt::format("{} rows of {} elements leave no room in scratch for columns of w; use fewer rows, or less "
                         "depth",
                         args.rows, args.k));
  if (given.columns) {
    args.columns = std::min(*given.columns, args.n);
  } else if (most >= args.n) {
    args.columns = args.n;
  } else {
    const std::int64_t equal = Context::cdiv(args.n, Context::cdiv(args.n, most));
    args.columns = std::min(most, Context::cdiv(equal, kWhole) * kWhole);
  }
}

RmsNormMatmul checked(Context& tl, const RmsNormMatmulArguments& given) {
  const Ptr x = given.x, g = given.g, w = given.w, y = given.y;
  tl.require_matrices({x, w, y});
  RmsNormMatmul args{x, g, tl.shard(w), tl.shard(y), given.eps.value_or(1e-5)};
  args.m = x.shape()[0];
  args.k = x.shape()[1];
  args.buffers = given.buffers.value_or(2);
  tl.require(w.shape()[0] == args.k && y.shape() == Shape{args.m, w.shape()[1]},
             fmt::format("{} times {} does not give {}", shape_text(x), shape_text(w), shape_text(y)));
  tl.require(element_count(g.shape()) == args.k,
             fmt::format("{} must have the {} elements of a row of {}", shape_text(g), args.k, shape_text(x)));
  const Dtype dtype = x.dtype();
  tl.require(is_float(dtype) && !is_storage(dtype) && g.dtype() == dtype && w.dtype() == dtype && y.dtype() == dtype,
             "all tensors must be of one dtype: f16, bf16 or f32");
  tl.require(x.row_major() && g.row_major(), "x and g must be whole or split by rows");
  tl.require(given.rows.value_or(1) >= 1 && given.depth.value_or(1) >= 1 && given.columns.value_or(1) >= 1,
             "rows, depth and columns are at least 1");
  tl.require(args.buffers == 1 || args.buffers == 2, "buffers is 1 (loads block) or 2 (loads run ahead)");
  tl.require(args.eps >= 0, "eps is at least 0");
  if (args.y.elements == 0) return args;
  args.n = args.y.shape[1];
  tl.require(args.y.shape[0] == args.m && args.w.shape == Shape{args.k, args.n} &&
                 args.w.first * args.m == args.y.first * args.k,
             fmt::format("{} and {} must both be whole or split by columns alike", shape_text(w), shape_text(y)));
  choose_sizes(tl, given, args);
  return args;
}

// Computes this PE's part of y in blocks of rows. A step is a product with one block (depth, columns) of w; steps
// iterate over the depth first, then over the columns, then over the rows.
class FusedProduct {
 public:
  FusedProduct(Context& tl, const RmsNormMatmul& args)
      : tl_(tl),
        args_(args),
        depth_blocks_(Context::cdiv(args.k, args.depth)),
        column_blocks_(Context::cdiv(args.n, args.columns)),
        steps_(Context::cdiv(args.m, args.rows) * column_blocks_ * depth_blocks_),
        dtype_(args.x.dtype()),
        arriving_(tl.empty({args.rows * args.chunk}, dtype_)),
        weighed_(tl.empty({args.k * args.rows}, dtype_)),
        out_(tl.empty({args.rows * args.columns}, dtype_)) {
    for (std::int64_t i = 0; i < args.buffers; ++i) w_.push_back({tl.empty({args.depth * args.columns}, dtype_), {}});
    gain_ = tl.empty({args.k}, dtype_);
    unit_ = tl.empty({1}, Dtype::f32);
    const Future gain = tl.load_into_async(gain_, args.g);  // first, so that it is scaled while x arrives
    if (args.buffers > 1) {
      load_x(0, strips(0));
      load_w(0);
    }
    tl.wait(gain);
    scale_gain();
  }

  void run() {
    for (std::int64_t first = 0; first < steps_; first += column_blocks_ * depth_blocks_) compute_rows(first);
    tl_.wait();
  }

 private:
  struct Buffer {
    TensorHandle room;
    Future next;
  };

  std::int64_t depth_of(std::int64_t step) const { return step % depth_blocks_ * args_.depth; }
  std::int64_t column_of(std::int64_t step) const { return step / depth_blocks_ % column_blocks_ * args_.columns; }
  std::int64_t row_of(std::int64_t step) const { return step / depth_blocks_ / column_blocks_ * args_.rows; }
  std::int64_t depth(std::int64_t step) const { return std::min(args_.depth, args_.k - depth_of(step)); }
  std::int64_t columns(std::int64_t step) const { return std::min(args_.columns, args_.n - column_of(step)); }
  std::int64_t rows(std::int64_t step) const { return std::min(args_.rows, args_.m - row_of(step)); }
  // Size of the chunk of x whose use begins in `step`; 0: no chunk.
  std::int64_t chunk(std::int64_t step) const {
    const bool begins = column_of(step) == 0 && depth_of(step) % args_.chunk == 0;
    return begins ? std::min(args_.chunk, args_.k - depth_of(step)) : 0;
  }
  Buffer& w_of(std::int64_t step) { return w_[static_cast<std::size_t>(step % args_.buffers)]; }

  // The parts of a chunk that are loaded separately, so that loads of w are interleaved.
  std::int64_t strips(std::int64_t step) const { return std::min(Context::cdiv(chunk(step), args_.depth), rows(step)); }

  // Loads up to `count` more strips of the chunk whose use begins in `step`.
  void load_x(std::int64_t step, std::int64_t count) {
    next_chunk_ = step;
    if (step >= steps_) return;
    const std::int64_t high = Context::cdiv(rows(step), strips(step)), width = chunk(step);
    for (; count > 0 && static_cast<std::int64_t>(next_x_.size()) * high < rows(step); --count) {
      const std::int64_t row = static_cast<std::int64_t>(next_x_.size()) * high;
      const TensorHandle room = tl_.view(arriving_, row * width, {std::min(high, rows(step) - row), width});
      const Ptr from = args_.x + (row_of(step) + row) * args_.k + depth_of(step);
      next_x_.push_back(tl_.load_into_async(room, from, args_.k));
    }
  }
  void load_w(std::int64_t step) {
    if (step >= steps_) return;
    const TensorHandle room = tl_.view(w_of(step).room, 0, {depth(step), columns(step)});
    w_of(step).next = tl_.load_into_async(room, args_.w.ptr + depth_of(step) * args_.n + column_of(step), args_.n);
  }
  // The step that begins with the next chunk of x; the chunk of `step` has already been taken.
  std::int64_t next_chunk(std::int64_t step) const {
    const bool last = depth_of(step) + args_.chunk >= args_.k;
    return last ? step + column_blocks_ * depth_blocks_ - step % depth_blocks_ : step + args_.chunk / args_.depth;
  }

  void compute_rows(std::int64_t first) {
    const tl::Scratch scope(tl_);
    const TensorHandle scale = tl_.empty({rows(first), 1}, Dtype::f32);
    std::vector<TensorHandle> squares;  // x x^T of some rows
    for (std::int64_t row = 0; row < rows(first); row += kWhole) {
      const std::int64_t size = std::min(kWhole, rows(first) - row);
      squares.push_back(tl_.zeros({size, size}, Dtype::f32));
    }
    for (std::int64_t column = 0; column < column_blocks_; ++column) {
      compute_block(first + column * depth_blocks_, squares, scale);
    }
  }

  // Computes rows x columns of y; for the first columns also the norms.
  void compute_block(std::int64_t first, const std::vector<TensorHandle>& squares, const TensorHandle& scale) {
    const tl::Scratch scope(tl_);
    const TensorHandle sum = tl_.zeros({rows(first), columns(first)}, Dtype::f32);
    for (std::int64_t step = first; step < first + depth_blocks_; ++step) {
      if (chunk(step) > 0) take_x(step, squares);
      if (args_.buffers == 1) load_w(step);
      const TensorHandle w = tl_.wait(w_of(step).next);
      if (args_.buffers > 1) load_w(step + 1);
      // Equal parts in each step until the chunk is needed.
      if (args_.buffers > 1 && next_chunk_ < steps_) {
        load_x(next_chunk_, Context::cdiv(strips(next_chunk_), std::max<std::int64_t>(1, next_chunk_ - step)));
      }
      const TensorHandle x = tl_.view(weighed_, depth_of(step) * rows(step), {depth(step), rows(step)});
      tl_.dot(tl_.trans(x), w, sum);
    }
    if (column_of(first) == 0) take_norms(squares, scale);
    tl_.compute_into(sum, MathOp::mul, {sum, scale});
    if (first > 0) tl_.wait(stored_);
    const TensorHandle out = tl_.view(out_, 0, {rows(first), columns(first)});
    tl_.assign(out, sum);
    stored_ = tl_.store_async(args_.y.ptr + row_of(first) * args_.n + column_of(first), out, args_.n);
  }

  // Divides g by the lowest power of two that makes all elements at most 1, which changes no significant digit: then x
  // * g is not larger than x. The norms are multiplied by this power.
  void scale_gain() {
    const tl::Scratch scope(tl_);
    const bool half = dtype_ == Dtype::f16;
    const Dtype whole = half ? Dtype::i32 : Dtype::i64;
    const std::int64_t powers = half ? 16 : 63;  // 2^0 .. 2^15 are below the largest f16; i64 has no more than 2^62
    const TensorHandle largest = tl_.maximum(tl_.max(gain_), -tl_.min(gain_));
    const TensorHandle steps = tl_.cast(tl_.shl(1, tl_.arange(0, powers, whole)), Dtype::f32);
    const TensorHandle below = tl_.sum(tl_.gt(tl_.cast(largest, Dtype::f32), steps));
    tl_.assign(unit_, tl_.shl(1, half ? below : tl_.cast(below, whole)));
    tl_.compute_into(gain_, MathOp::mul, {gain_, tl_.cast(1 / unit_, dtype_)});
  }

  // Adds the products of a chunk of x with itself, and appends x * g, transposed, to the earlier ones, so that any part
  // of its depth is contiguous in scratch.
  void take_x(std::int64_t step, const std::vector<TensorHandle>& squares) {
    load_x(step, strips(step));
    for (const Future& strip : next_x_) tl_.wait(strip);
    next_x_.clear();
    next_chunk_ = next_chunk(step);
    const TensorHandle x = tl_.view(arriving_, 0, {rows(step), chunk(step)});
    const std::int64_t width = chunk(step);
    for (std::size_t i = 0; i < squares.size(); ++i) {
      const std::int64_t size = squares[i].size(0);
      const TensorHandle some = tl_.view(x, static_cast<std::int64_t>(i) * kWhole * width, {size, width});
      tl_.dot(some, tl_.trans(some), squares[i]);
    }
    const TensorHandle gain = tl_.view(gain_, depth_of(step), {width, 1});
    const TensorHandle weighed = tl_.view(weighed_, depth_of(step) * rows(step), {width, rows(step)});
    tl_.compute_into(weighed, MathOp::mul, {tl_.trans(x), gain});
  }

  // Stores 1 / rms of each row, times the divisor of g, in `scale` (rows, 1).
  void take_norms(const std::vector<TensorHandle>& squares, const TensorHandle& scale) {
    const tl::Scratch scope(tl_);
    for (std::size_t i = 0; i < squares.size(); ++i) {
      const std::int64_t size = squares[i].size(0);
      const TensorHandle row = tl_.arange(0, size);
      const TensorHandle diagonal = tl_.eq(tl_.view(row, 0, {size, 1}), tl_.view(row, 0, {1, size}));
      const TensorHandle sums = tl_.sum(tl_.where(diagonal, squares[i], 0.0), 1);
      tl_.assign(tl_.view(scale, static_cast<std::int64_t>(i) * kWhole, {size, 1}), sums);
    }
    tl_.compute_into(scale, MathOp::fma, {scale, 1.0 / static_cast<double>(args_.k), args_.eps});
    tl_.compute_into(scale, MathOp::rsqrt, {scale});
    tl_.compute_into(scale, MathOp::mul, {scale, unit_});
  }

  Context& tl_;
  const RmsNormMatmul& args_;
  std::int64_t depth_blocks_, column_blocks_, steps_;
  Dtype dtype_;
  TensorHandle arriving_;  // a chunk of x
  TensorHandle weighed_;   // (x * g)^T for the whole depth
  TensorHandle out_;
  std::vector<Buffer> w_;
  TensorHandle gain_;
  TensorHandle unit_;            // the power of two that divided gain_
  std::int64_t next_chunk_ = 0;  // the step that uses the next arriving chunk of x
  std::vector<Future> next_x_;   // its strips
  Future stored_;
};

void rms_norm_matmul(Context& tl, const RmsNormMatmulArguments& given) {
  const RmsNormMatmul args = checked(tl, given);
  if (args.y.elements > 0) FusedProduct(tl, args).run();
}

}  // namespace

contract::Kernel rms_norm_matmul_kernel() {
  using Args = RmsNormMatmulArguments;
  return tl::make_kernel("rms_norm_matmul", "y = (x / rms(x) * g) w on the columns of y that each PE owns",
                         tl::Parameters<Args>{{"x", &Args::x},
                                              {"g", &Args::g},
                                              {"w", &Args::w},
                                              {"y", &Args::y},
                                              {"eps", &Args::eps},
                                              {"rows", &Args::rows},
                                              {"depth", &Args::depth},
                                              {"columns", &Args::columns},
                                              {"buffers", &Args::buffers}},
                         rms_norm_matmul);
}

}  // namespace kb::kernels
