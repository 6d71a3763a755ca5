#include "kernels/model/weight_stream.h"

#include <algorithm>

#include "kernels/tl/tl.h"

namespace kb::kernels {

using tl::Context;
using tl::TensorHandle;

namespace {

constexpr std::int64_t kLargestChunk = std::int64_t{192} * 1024;  // bytes
constexpr std::int64_t kStepsPerUnit = 4;                         // sizes of the first chunk that are tried
constexpr std::int64_t kMostUnits = 8;                            // of 32 outputs that the first chunk is tried with
// What a machine loads in the latency of a load, and what it loads while the array works on a block of that many bytes,
// which is the block itself where the array is as fast as the memory.
constexpr std::int64_t kLatency = 3328;

// Time from the first load to the last product, in bytes that are loaded meanwhile.
std::int64_t duration(const NormLinear& problem, const std::vector<WeightChunk>& chunks) {
  const std::int64_t row = problem.deepest * problem.item();
  const std::int64_t padded = Context::cdiv(problem.deepest, kArrayDepth) * kArrayDepth * problem.item();
  const std::int64_t passes = Context::cdiv(problem.tokens(), kArrayRows);
  std::int64_t loaded = 0, done = 0;
  for (const WeightChunk& chunk : chunks) {
    loaded += kLatency + chunk.outputs.size * row;
    done = std::max(done, loaded) + Context::cdiv(chunk.outputs.size, kArrayRows) * kArrayRows * padded * passes;
  }
  return done;
}

// Chunks in multiples of `unit` outputs, the first one of at most `bytes`. The product of a chunk of c bytes behind n
// others ends at least n latencies and c after a load of everything without a stop; so each chunk is a latency smaller
// than the one before.
std::vector<WeightChunk> shrinking_chunks(const NormLinear& problem, std::int64_t unit, std::int64_t bytes,
                                          bool remainder_first) {
  const std::int64_t row = problem.deepest * problem.item();
  std::vector<WeightChunk> out;
  for (std::int64_t gate = 0; gate < problem.gates; ++gate) {
    for (std::int64_t first = 0; first < problem.outputs.size;) {
      const std::int64_t left = problem.outputs.size - first;
      const std::int64_t behind = static_cast<std::int64_t>(out.size()) * kLatency;
      std::int64_t size = std::max<std::int64_t>(1, (bytes - behind) / (unit * row)) * unit;
      if (first == 0 && remainder_first && left % unit != 0) size = left % unit;
      size = std::min(size, left);
      out.push_back({gate, {first, size}});
      first += size;
    }
  }
  return out;
}

}  // namespace

std::vector<WeightChunk> weight_chunks(const NormLinear& problem) {
  const std::int64_t row = problem.deepest * problem.item();
  const std::int64_t most = std::max<std::int64_t>(1, kLargestChunk / row);  // outputs
  const std::int64_t unit = std::min(most, kArrayRows);
  std::vector<WeightChunk> best;
  for (std::int64_t steps = kStepsPerUnit; steps <= kMostUnits * kStepsPerUnit; ++steps) {
    const std::int64_t bytes = steps * unit * row / kStepsPerUnit;
    if (bytes > std::max(kLargestChunk, unit * row)) break;
    for (const bool remainder_first : {true, false}) {
      std::vector<WeightChunk> chunks = shrinking_chunks(problem, unit, bytes, remainder_first);
      if (best.empty() || duration(problem, chunks) < duration(problem, best)) best = std::move(chunks);
    }
  }
  return best;
}

WeightStream::WeightStream(Context& tl, const NormLinear& problem, std::int64_t bytes) : tl_(tl), problem_(problem) {
  const auto count = static_cast<std::int64_t>(problem.chunks.size());
  steps_ = count * problem.blocks();
  const std::int64_t row = problem.depth.size;
  const bool all = (problem.gates * problem.outputs.size * row + count * 8) * problem.item() <= bytes;
  const std::int64_t room = all ? count : std::min(count, bytes / (problem.chunk_outputs * row * problem.item()));
  for (std::int64_t i = 0; i < room; ++i) {
    const std::int64_t outputs = all ? problem.chunks[static_cast<std::size_t>(i)].outputs.size : problem.chunk_outputs;
    slots_.push_back({tl.empty({outputs * row}, problem.dtype), {}, {}});
  }
}

WeightStream::Slot& WeightStream::slot(std::int64_t step) {
  return slots_[static_cast<std::size_t>(step) % slots_.size()];
}

void WeightStream::load(std::int64_t step) {
  if (step >= steps_) return;
  const WeightChunk& chunk = problem_.chunks[static_cast<std::size_t>(step) % problem_.chunks.size()];
  const std::int64_t width = problem_.depth.size;
  Slot& into = slot(step);
  into.value = tl_.view(into.room, 0, {chunk.outputs.size, width});
  for (std::int64_t done = 0, size = 0; done < chunk.outputs.size; done += size) {
    const std::int64_t first = (problem_.origin + chunk.outputs.first + done) % problem_.outputs.size;
    const WeightSource& source = problem_.source(first);
    size = std::min(chunk.outputs.size - done, source.outputs.end() - first);
    const TensorHandle part = tl_.view(into.room, done * width, {size, width});
    const tl::Ptr from = source.gates[static_cast<std::size_t>(chunk.gate)];
    into.loads.push_back(tl_.load_into_async(part, from + (first - source.outputs.first) * width));
  }
}

void WeightStream::begin() {
  for (std::size_t i = 0; i < slots_.size(); ++i) load(static_cast<std::int64_t>(i));
}

TensorHandle WeightStream::take(std::int64_t step) {
  Slot& from = slot(step);
  for (const tl::Future& load : from.loads) tl_.wait(load);
  from.loads.clear();
  return from.value;
}

void WeightStream::release(std::int64_t step) {
  if (!resident()) load(step + static_cast<std::int64_t>(slots_.size()));
}

}  // namespace kb::kernels
