// The weights of a product, streamed through scratch.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/model/norm_linear_problem.h"
#include "kernels/tl/context.h"

namespace kb::kernels {

// Some outputs of W or W2; rows of the PE's part are adjacent in memory.
struct WeightChunk {
  std::int64_t gate = 0;  // 0: W, 1: W2
  Range outputs;          // counted in the cube
};

// Loads the chunks of W and W2 in order, again for every block of rows, as far ahead as there is room. Chunks that all
// have room are loaded once.
class WeightStream {
 public:
  static constexpr std::int64_t kFewest = 2;  // chunks in scratch

  // Uses `bytes` of scratch.
  WeightStream(tl::Context& tl, const NormLinear& problem, std::int64_t bytes);
  // A multiple of the array's 32 rows where that leaves room.
  static std::int64_t outputs_per_chunk(const NormLinear& problem);

  const std::vector<WeightChunk>& chunks() const { return chunks_; }
  bool resident() const { return chunks_.size() <= slots_.size(); }
  // Starts as many loads as there is room for.
  void begin();
  // Waits for the chunk of this step, counted over all blocks; (outputs, depth).
  tl::TensorHandle take(std::int64_t step);
  // The chunk of this step is not needed any more: another one may be loaded in its place.
  void release(std::int64_t step);

 private:
  struct Slot {
    tl::TensorHandle room, value;
    tl::Future load;
    bool loading = false;
  };
  Slot& slot(std::int64_t step);
  void load(std::int64_t step);

  tl::Context& tl_;
  const NormLinear& problem_;
  std::vector<WeightChunk> chunks_;
  std::int64_t steps_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace kb::kernels
