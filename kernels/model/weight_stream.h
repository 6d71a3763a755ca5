// The weights of a product, streamed through scratch.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/model/norm_linear_problem.h"
#include "kernels/tl/context.h"

namespace kb::kernels {

// Cuts W and W2 into chunks such that the product of the last one ends early: many chunks pay the latency of many
// loads, and a large one delays its product. So chunks become smaller, and outputs that do not fill the array come
// first.
std::vector<WeightChunk> weight_chunks(const NormLinear& problem);

// Loads the chunks in order, again for every block of rows, as far ahead as there is room. When all have room, they are
// loaded once.
class WeightStream {
 public:
  static constexpr std::int64_t kFewest = 2;  // chunks in scratch

  // Uses at most `bytes` of scratch.
  WeightStream(tl::Context& tl, const NormLinear& problem, std::int64_t bytes);

  bool resident() const { return problem_.chunks.size() <= slots_.size(); }
  // Starts as many loads as there is room for.
  void begin();
  // Waits for the chunk of this step, counted over all blocks; (outputs, depth).
  tl::TensorHandle take(std::int64_t step);
  // The chunk of this step is not needed any more: another one may be loaded in its place.
  void release(std::int64_t step);

 private:
  struct Slot {
    tl::TensorHandle room, value;
    std::vector<tl::Future> loads;  // several where the order begins again, or goes on in another cube
  };
  Slot& slot(std::int64_t step);
  void load(std::int64_t step);

  tl::Context& tl_;
  const NormLinear& problem_;
  std::int64_t steps_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace kb::kernels
