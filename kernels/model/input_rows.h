// The input of a product: own columns of the residual stream plus a new part, normalised.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/model/norm_linear_problem.h"
#include "kernels/tl/context.h"

namespace kb::kernels {

// Loads own columns of the rows of a block, adds, stores the sum as the new residual stream, and multiplies by gamma.
// Two blocks have room at a time, when there are several.
class InputRows {
 public:
  InputRows(tl::Context& tl, const NormLinear& problem);

  // Starts to load rows [first, first + count) of those of the block.
  void load(std::int64_t block, std::int64_t first, std::int64_t count);
  // Starts to load all that have not been asked for.
  void load_rest(std::int64_t block);
  void load_gamma();
  // Waits for the rows of the block and returns what to multiply by W, (rows, depth). With a norm, squares() are the
  // sums of squares over own columns, (rows), and unit() is the number by which gamma was divided, if it was.
  tl::TensorHandle prepare(std::int64_t block);
  const tl::TensorHandle& squares() const { return squares_; }
  const tl::TensorHandle& unit() const { return unit_; }
  // Waits for what is being stored.
  void finish();

  static std::int64_t scratch_for_squares(const NormLinear& problem, std::int64_t rows);

 private:
  struct Buffer {
    tl::TensorHandle sum, other;  // room for rows; `other` only with two_buffers()
    tl::TensorHandle squares;
    std::vector<tl::Future> loads, stores;
    std::int64_t asked = 0;  // rows
  };
  Buffer& buffer(std::int64_t block) { return buffers_[static_cast<std::size_t>(block % 2)]; }
  tl::TensorHandle rows_in(const tl::TensorHandle& room, std::int64_t first, std::int64_t count) {
    return tl_.view(room, first * problem_.depth.size, {count, problem_.depth.size});
  }
  void wait(std::vector<tl::Future>& pending);
  void scale_gamma();
  void take_squares(const tl::TensorHandle& x, const tl::TensorHandle& out);

  tl::Context& tl_;
  const NormLinear& problem_;
  std::array<Buffer, 2> buffers_;
  tl::TensorHandle gamma_, unit_, squares_;
  std::vector<tl::Future> gamma_loads_;
};

}  // namespace kb::kernels
