#include "kernels/model_attention/paged_blocks.h"

#include <algorithm>
#include <utility>

#include "platform/contract/paged_attention.h"

namespace kb::kernels {

namespace {

constexpr std::int64_t kAhead = contract::kPagedAhead;

}  // namespace

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;

std::int64_t PagedStep::keys() const {
  std::int64_t sum = 0;
  for (const PageRun& run : runs) sum += run.count();
  return sum;
}

void append_steps(std::int64_t head, const std::vector<PageRun>& runs, std::int64_t keys, bool last,
                  std::vector<PagedStep>& steps) {
  std::vector<std::int64_t> counts;
  for (const PageRun& run : runs) counts.push_back(run.count());
  auto next = runs.begin();
  for (const std::int64_t count : contract::runs_per_step(counts, keys, last)) {
    steps.push_back({head, {next, next + count}});
    next += count;
  }
}

std::int64_t keys_per_step(Context& tl, Ptr cache) {
  const auto item = static_cast<std::int64_t>(item_size(cache.dtype()));
  return contract::keys_per_step(cache.shape()[1], cache.shape()[3] * item,
                                 static_cast<std::int64_t>(tl.info().scratch_bytes));
}

PagedBlocks::PagedBlocks(Context& tl, Ptr k, Ptr v, std::int64_t heads, std::vector<PagedStep> steps)
    : tl_(tl), k_(k), v_(v), steps_(std::move(steps)), page_(k.shape()[1]), heads_(heads), d_(k.shape()[3]) {
  std::int64_t most = 0;
  for (const PagedStep& step : steps_) most = std::max(most, step.keys());
  if (most == 0) return;
  buffers_.resize(static_cast<std::size_t>(std::min(count(), kAhead + 1)));
  for (Buffer& its : buffers_) {
    its.k = tl.empty({most * d_}, k.dtype());
    its.v = tl.empty({most * d_}, v.dtype());
  }
  for (std::int64_t step = 0; step < std::min(kAhead, count()); ++step) start(step);
}

TensorHandle PagedBlocks::k(std::int64_t step) {
  tl_.wait(buffer(step).next_k);
  if (step + kAhead < count()) start(step + kAhead);
  return rows_of(buffer(step).k, step);
}

TensorHandle PagedBlocks::v(std::int64_t step) {
  tl_.wait(buffer(step).next_v);
  return rows_of(buffer(step).v, step);
}

TensorHandle PagedBlocks::rows_of(const TensorHandle& room, std::int64_t step) {
  return tl_.view(room, 0, {steps_[static_cast<std::size_t>(step)].keys(), d_});
}

// Whole pages of one K/V head are contiguous; otherwise each key is a row of its own.
void PagedBlocks::start(std::int64_t step) {
  const PagedStep& its = steps_[static_cast<std::size_t>(step)];
  const bool whole = heads_ == 1 && std::all_of(its.runs.begin(), its.runs.end(),
                                                [&](const PageRun& run) { return run.count() == page_; });
  std::vector<std::int64_t> rows;
  for (const PageRun& run : its.runs) {
    if (whole) {
      rows.push_back(run.block);
    } else {
      for (std::int64_t key = run.begin; key < run.end; ++key) {
        rows.push_back((run.block * page_ + key) * heads_ + its.head);
      }
    }
  }
  const Shape shape{static_cast<std::int64_t>(rows.size()), whole ? page_ * d_ : d_};
  Buffer& room = buffer(step);
  room.next_k = tl_.gather_into_async(tl_.view(room.k, 0, shape), k_, tl::Indices(rows));
  room.next_v = tl_.gather_into_async(tl_.view(room.v, 0, shape), v_, tl::Indices(std::move(rows)));
}

}  // namespace kb::kernels
