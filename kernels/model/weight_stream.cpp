#include "kernels/model/weight_stream.h"

#include <algorithm>

#include "kernels/tl/tl.h"

namespace kb::kernels {

using tl::Context;
using tl::TensorHandle;

namespace {

constexpr std::int64_t kChunkBytes = 64 * 1024;  // hides the latency of a load
constexpr std::int64_t kLargestChunk = 192 * 1024;

}  // namespace

std::int64_t WeightStream::outputs_per_chunk(const NormLinear& problem) {
  const std::int64_t row = problem.deepest * problem.item();
  const std::int64_t wanted = std::max(kArrayRows, kChunkBytes / row / kArrayRows * kArrayRows);
  return std::min(problem.outputs.size, std::max<std::int64_t>(1, std::min(wanted, kLargestChunk / row)));
}

WeightStream::WeightStream(Context& tl, const NormLinear& problem, std::int64_t bytes) : tl_(tl), problem_(problem) {
  const std::int64_t most = problem.chunk_outputs;
  for (std::int64_t gate = 0; gate < problem.gates; ++gate) {
    for (std::int64_t first = 0; first < problem.outputs.size; first += most) {
      chunks_.push_back({gate, {first, std::min(most, problem.outputs.size - first)}});
    }
  }
  const auto count = static_cast<std::int64_t>(chunks_.size());
  steps_ = count * problem.blocks();
  const std::int64_t elements = most * problem.depth.size;
  const std::int64_t room = bytes / (most * problem.deepest * problem.item());
  for (std::int64_t i = 0; i < std::min(room, count); ++i) {
    slots_.push_back({tl.empty({elements}, problem.dtype), {}, {}, false});
  }
}

WeightStream::Slot& WeightStream::slot(std::int64_t step) {
  return slots_[static_cast<std::size_t>(step) % slots_.size()];
}

void WeightStream::load(std::int64_t step) {
  if (step >= steps_) return;
  const WeightChunk& chunk = chunks_[static_cast<std::size_t>(step) % chunks_.size()];
  const std::int64_t width = problem_.depth.size;
  Slot& into = slot(step);
  into.value = tl_.view(into.room, 0, {chunk.outputs.size, width});
  const tl::Ptr from = problem_.weights[static_cast<std::size_t>(chunk.gate)];
  into.load = tl_.load_into_async(into.value, from + chunk.outputs.first * width);
  into.loading = true;
}

void WeightStream::begin() {
  for (std::size_t i = 0; i < slots_.size(); ++i) load(static_cast<std::int64_t>(i));
}

TensorHandle WeightStream::take(std::int64_t step) {
  Slot& from = slot(step);
  if (from.loading) tl_.wait(from.load);
  from.loading = false;
  return from.value;
}

void WeightStream::release(std::int64_t step) {
  if (!resident()) load(step + static_cast<std::int64_t>(slots_.size()));
}

}  // namespace kb::kernels
