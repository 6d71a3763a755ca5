#include "kernels/model/norm_linear.h"

#include "kernels/model/input_rows.h"
#include "kernels/model/norm_linear_problem.h"
#include "kernels/model/output_tiles.h"
#include "kernels/model/partial_sums.h"
#include "kernels/model/weight_stream.h"
#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Future;
using tl::TensorHandle;

// The products of a member, block of rows after block of rows, and in it chunk of W after chunk of W.
class MemberProduct {
 public:
  MemberProduct(Context& tl, const NormLinear& problem)
      : tl_(tl),
        problem_(problem),
        input_(tl, problem),
        sums_(tl, problem),
        weights_(tl, problem, room_for_weights()) {}

  void run() {
    input_.load_rest(0);  // comes from other cubes
    input_.load_gamma();
    weights_.begin();
    sums_.load_bias();
    for (std::int64_t block = 0; block < problem_.blocks(); ++block) compute_block(block);
    sums_.complete(problem_.blocks() - 1);
    sums_.finish();
    input_.finish();
  }

 private:
  std::int64_t room_for_weights() const {
    return static_cast<std::int64_t>(tl_.info().scratch_bytes) - problem_.scratch_needed(problem_.block_rows);
  }

  void compute_block(std::int64_t block) {
    const TensorHandle x = input_.prepare(block);
    const auto count = static_cast<std::int64_t>(problem_.chunks.size());
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t step = block * count + i;
      const WeightChunk& chunk = problem_.chunks[static_cast<std::size_t>(i)];
      const TensorHandle w = weights_.take(step);
      const TensorHandle sums = sums_.room(chunk, x.size(0));
      const Future product = tl_.dot_into_async(sums, w, tl_.trans(x));
      if (i == 0 && block > 0) sums_.complete(block - 1);  // its transfers are hidden by the product
      // Its barrier also says that all have read what block - 2 left where this block's sums go.
      if (i == 0 && problem_.norm()) sums_.send_squares(block, input_.squares());
      tl_.wait(product);
      weights_.release(step);
      load_ahead(block + 1, i, count);
      if (problem_.scales_gamma()) tl_.compute_into(sums, MathOp::mul, {sums, input_.unit()});
      sums_.send(block, chunk, sums);
    }
  }

  // Loads a share of the rows of the next block, between those of W.
  void load_ahead(std::int64_t block, std::int64_t chunk, std::int64_t chunks) {
    if (block >= problem_.blocks()) return;
    const Range share = part_of(problem_.block(block).size, chunk, weights_.resident() ? 1 : chunks);
    if (share.size > 0 && (chunk == 0 || !weights_.resident())) input_.load(block, share.first, share.size);
  }

  Context& tl_;
  const NormLinear& problem_;
  InputRows input_;
  PartialSums sums_;
  WeightStream weights_;
};

// A PE without weights adds to its columns of the residual stream, and meets the members of its cube.
void run_without_weights(Context& tl, const NormLinear& problem) {
  if (problem.depth.size > 0) {
    InputRows input(tl, problem);
    for (std::int64_t block = 0; block < problem.blocks(); ++block) input.prepare(block);
    input.finish();
  }
  for (std::int64_t block = 0; block < problem.blocks() && problem.members() > 0; ++block) tl.barrier();
}

void norm_linear(Context& tl, const NormLinearArguments& args) {
  const NormLinear problem = norm_linear_problem(tl, args);
  if (problem.tiles()) {
    if (problem.rank >= 0) OutputTiles(tl, problem).run();
  } else if (problem.rank >= 0) {
    MemberProduct(tl, problem).run();
  } else {
    run_without_weights(tl, problem);
  }
}

}  // namespace

contract::Kernel norm_linear_kernel() {
  using Args = NormLinearArguments;
  return tl::make_kernel("norm_linear", "y = f(norm(residual + x) W^T), partial sums of the PEs of a cube added up",
                         tl::Parameters<Args>{{"w", &Args::w},
                                              {"y", &Args::y},
                                              {"partials", &Args::partials},
                                              {"residual", &Args::residual},
                                              {"x", &Args::x},
                                              {"residual_out", &Args::residual_out},
                                              {"gamma", &Args::gamma},
                                              {"w2", &Args::w2},
                                              {"bias", &Args::bias},
                                              {"rows", &Args::rows},
                                              {"eps", &Args::eps}},
                         norm_linear);
}

}  // namespace kb::kernels
