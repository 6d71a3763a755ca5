#include "kernels/model/residual_norm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <vector>

#include "kernels/model/column_tiles.h"
#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"
#include "platform/contract/tensor_layout.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

constexpr std::int64_t kNormElementsAtOnce = std::int64_t{32} * 1024;
constexpr std::int64_t kBytesPerElement = 24;            // of scratch: two parts of both inputs, and two values in f32
constexpr std::int64_t kSpare = std::int64_t{2} * 1024;  // alignment

struct ResidualNormArguments {
  Ptr x, gamma, y, squares;
  std::optional<Ptr> residual, residual_out;
  std::optional<double> eps;
};

// The part of the sum that a PE owns, some rows at a time.
class OwnNorm {
 public:
  OwnNorm(Context& tl, const ResidualNormArguments& args, const ColumnTiles& tiles)
      : tl_(tl),
        args_(args),
        tiles_(tiles.tiles()),
        first_(tl.shard(args.x).first),
        place_(tiles.place(first_)),
        height_(tl.shard(args.x).shape[0]),
        width_(tl.shard(args.x).shape[1]),
        step_(std::clamp<std::int64_t>(elements_at_once() / width_, 1, height_)) {
    for (Part& part : parts_) {
      part.x = tl_.empty({step_, width_}, args.x.dtype());
      if (args_.residual) part.residual = tl_.empty({step_, width_}, args.x.dtype());
    }
    squares_ = tl_.empty({height_, 1}, Dtype::f32);
    gamma_ = tl_.empty({1, width_}, args.gamma.dtype());
    wide_ = tl_.empty({step_, width_}, Dtype::f32);
  }

  void add() {
    std::vector<Future> gamma;
    load(0);
    ColumnTiles(tl_, args_.gamma).load(tl_, gamma_, {0}, place_.column, gamma);
    for (std::int64_t row = 0; row < height_; row += step_) {
      load(row + step_);
      Part& now = part_from(row);
      wait(now.pending);
      const TensorHandle x = rows_of(now.x, row);
      if (args_.residual) tl_.compute_into(x, MathOp::add, {rows_of(now.residual, row), x});
      if (args_.residual_out) now.pending.push_back(tl_.store_async(at(*args_.residual_out, row), x));
      const tl::Scratch scope(tl_);
      const TensorHandle wide = rows_of(wide_, row);
      tl_.assign(wide, x);
      tl_.assign(tl_.view(squares_, row, {x.size(0), 1}), tl_.sum(tl_.mul(wide, wide), 1));
    }
    const Future stored = tl_.store_async(table(), tl_.view(squares_, 0, {1, height_}));
    wait(gamma);
    gamma_wide_ = tl_.cast(gamma_, Dtype::f32);
    for (Part& part : parts_) wait(part.pending);
    tl_.wait(stored);
    if (step_ == height_) weighed_ = tl_.compute_into_async(wide_, MathOp::mul, {wide_, gamma_wide_});
  }

  // When the squares of all PEs are in the table.
  void scale() {
    const std::int64_t m = args_.x.shape()[0];
    const Future loaded = tl_.load_async(args_.squares + place_.row, {tiles_, height_}, std::nullopt, m);
    const TensorHandle sum = tl_.sum(tl_.wait(loaded), 0);
    tl_.compute_into(sum, MathOp::fma, {sum, 1.0 / static_cast<double>(args_.x.shape()[1]), args_.eps.value_or(1e-5)});
    tl_.compute_into(sum, MathOp::rsqrt, {sum});
    for (std::int64_t row = 0; row < height_; row += step_) {
      Part& now = part_from(row);
      wait(now.pending);
      const TensorHandle x = rows_of(now.x, row), wide = rows_of(wide_, row);
      if (weighed_) {  // a single part, during the barrier
        tl_.wait(*weighed_);
      } else {
        tl_.load_into(x, at(args_.residual_out ? *args_.residual_out : args_.x, row));
        tl_.assign(wide, x);
        tl_.compute_into(wide, MathOp::mul, {wide, gamma_wide_});
      }
      tl_.compute_into(wide, MathOp::mul, {wide, tl_.view(sum, row, {x.size(0), 1})});
      tl_.assign(x, wide);
      now.pending.push_back(tl_.store_async(at(args_.y, row), x));
    }
    for (Part& part : parts_) wait(part.pending);
  }

 private:
  struct Part {
    TensorHandle x, residual;
    std::vector<Future> pending;
  };
  std::int64_t elements_at_once() const {
    const std::int64_t lines = (tiles_ + 3) * height_ + 2 * width_;
    const std::int64_t room = static_cast<std::int64_t>(tl_.info().scratch_bytes) - 4 * lines - kSpare;
    return std::min(kNormElementsAtOnce, room / kBytesPerElement);
  }
  Part& part_from(std::int64_t row) { return parts_[static_cast<std::size_t>(row / step_ % 2)]; }
  TensorHandle rows_of(const TensorHandle& room, std::int64_t row) {
    return tl_.view(room, 0, {std::min(step_, height_ - row), width_});
  }
  Ptr at(Ptr tensor, std::int64_t row) const { return tensor + (first_ + row * width_); }
  Ptr table() const { return args_.squares + (place_.tile * args_.x.shape()[0] + place_.row); }
  void load(std::int64_t row) {
    if (row >= height_) return;
    Part& into = part_from(row);
    wait(into.pending);
    into.pending.push_back(tl_.load_into_async(rows_of(into.x, row), at(args_.x, row)));
    if (args_.residual) {
      into.pending.push_back(tl_.load_into_async(rows_of(into.residual, row), at(*args_.residual, row)));
    }
  }
  void wait(std::vector<Future>& pending) {
    for (const Future& future : pending) tl_.wait(future);
    pending.clear();
  }

  Context& tl_;
  const ResidualNormArguments& args_;
  std::int64_t tiles_, first_;
  ColumnTiles::Place place_;
  std::int64_t height_, width_, step_;
  std::array<Part, 2> parts_;
  TensorHandle squares_, gamma_, gamma_wide_, wide_;
  std::optional<Future> weighed_;
};

void check_residual_norm(Context& tl, const ResidualNormArguments& args) {
  tl.require_matrices({args.x, args.gamma, args.y, args.squares});
  const std::int64_t m = args.x.shape()[0], h = args.x.shape()[1];
  const Dtype dtype = args.x.dtype();
  tl.require(is_float(dtype) && !is_storage(dtype), "x must be f16, bf16 or f32");
  for (const std::optional<Ptr>& tensor : {std::optional<Ptr>(args.y), args.residual, args.residual_out}) {
    tl.require(!tensor || (tensor->same_order(args.x) && tensor->dtype() == dtype),
               fmt::format("{} must have the shape, the layout and the dtype of {}", tensor ? shape_text(*tensor) : "",
                           shape_text(args.x)));
  }
  tl.require(!args.residual || args.residual_out, "a residual stream needs residual_out, for the sum");
  tl.require(args.gamma.shape() == Shape{1, h} && args.gamma.dtype() == dtype,
             fmt::format("{} must be (1, {}) of {}, like a row of {}", shape_text(args.gamma), h, dtype_name(dtype),
                         shape_text(args.x)));
  tl.require(args.eps.value_or(0) >= 0, "eps is at least 0");
  tl.require(args.squares.shape()[1] == m && args.squares.dtype() == Dtype::f32 && args.squares.row_major(),
             fmt::format("{} must be (tiles, {}) of f32, whole or split by rows", shape_text(args.squares), m));
  std::set<std::uint64_t> begins;
  for (const contract::Shard& shard : args.squares.tensor().shards) {
    tl.require(begins.insert(shard.offset_bytes).second,
               fmt::format("{} must be a single copy", shape_text(args.squares)));
  }
}

void residual_norm(Context& tl, const ResidualNormArguments& args) {
  check_residual_norm(tl, args);
  const ColumnTiles tiles(tl, args.x);
  tl.require(args.squares.shape()[0] >= tiles.tiles(),
             fmt::format("{} has fewer rows than the {} tiles of {}", shape_text(args.squares), tiles.tiles(),
                         shape_text(args.x)));
  if (tl.shard(args.x).elements == 0) return tl.barrier(tl::BarrierScope::sip);
  OwnNorm norm(tl, args, tiles);
  norm.add();
  tl.barrier(tl::BarrierScope::sip);
  norm.scale();
}

}  // namespace

contract::Kernel residual_norm_kernel() {
  using Args = ResidualNormArguments;
  return tl::make_kernel("residual_norm", "adds to a residual stream and normalises the sum",
                         tl::Parameters<Args>{{"x", &Args::x},
                                              {"gamma", &Args::gamma},
                                              {"y", &Args::y},
                                              {"squares", &Args::squares},
                                              {"residual", &Args::residual},
                                              {"residual_out", &Args::residual_out},
                                              {"eps", &Args::eps}},
                         residual_norm);
}

}  // namespace kb::kernels
