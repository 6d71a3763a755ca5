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

PagedBlocks::PagedBlocks(Context& tl, const Cache& cache, std::vector<PagedStep> steps, std::int64_t keys)
    : tl_(tl), cache_(cache), steps_(std::move(steps)), page_(cache.k.shape()[1]), d_(cache.k.shape()[3]) {
  divide(keys);
  if (loads_.empty()) return;
  std::int64_t most = 0;
  for (const Load& load : loads_) most = std::max(most, load.keys);
  buffers_.resize(static_cast<std::size_t>(std::min(count(), kAhead + 1)));
  for (Buffer& its : buffers_) {
    its.k = tl.empty({most * d_}, cache.k.dtype());
    its.v = tl.empty({most * d_}, cache.v.dtype());
  }
  for (std::int64_t load = 0; load < std::min(kAhead, count()); ++load) start(load);
}

void PagedBlocks::divide(std::int64_t keys) {
  const auto steps = static_cast<std::int64_t>(steps_.size());
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t own = steps_[static_cast<std::size_t>(step)].keys();
    const bool alone = step <= 1 || step == steps - 1;
    if (alone || loads_.back().keys + own > keys / 2) loads_.push_back({step, 0, 0});
    Load& load = loads_.back();
    places_.push_back({count() - 1, load.keys});
    ++load.count;
    load.keys += own;
  }
}

TensorHandle PagedBlocks::k(std::int64_t step) {
  const std::int64_t load = place(step).load;
  if (place(step).key == 0) {
    tl_.wait(buffer(load).next_k);
    if (load + kAhead < count()) start(load + kAhead);
  }
  return rows_of(buffer(load).k, step);
}

TensorHandle PagedBlocks::v(std::int64_t step) {
  const std::int64_t load = place(step).load;
  if (place(step).key == 0) tl_.wait(buffer(load).next_v);
  return rows_of(buffer(load).v, step);
}

TensorHandle PagedBlocks::rows_of(const TensorHandle& room, std::int64_t step) {
  return tl_.view(room, place(step).key * d_, {steps_[static_cast<std::size_t>(step)].keys(), d_});
}

// Whole pages of one K/V head are contiguous; otherwise each key is a row of its own.
void PagedBlocks::start(std::int64_t number) {
  const Load& load = loads_[static_cast<std::size_t>(number)];
  const auto begin = steps_.begin() + load.first, end = begin + load.count;
  const bool whole = cache_.heads == 1 && std::all_of(begin, end, [&](const PagedStep& step) {
                       return std::all_of(step.runs.begin(), step.runs.end(),
                                          [&](const PageRun& run) { return run.count() == page_; });
                     });
  std::vector<std::int64_t> rows;
  for (auto step = begin; step != end; ++step) {
    for (const PageRun& run : step->runs) {
      if (whole) {
        rows.push_back(run.block);
      } else {
        for (std::int64_t key = run.begin; key < run.end; ++key) {
          rows.push_back((run.block * page_ + key) * cache_.heads + step->head);
        }
      }
    }
  }
  const Shape shape{static_cast<std::int64_t>(rows.size()), whole ? page_ * d_ : d_};
  Buffer& room = buffer(number);
  room.next_k = tl_.gather_into_async(tl_.view(room.k, 0, shape), cache_.k, tl::Indices(rows));
  room.next_v = tl_.gather_into_async(tl_.view(room.v, 0, shape), cache_.v, tl::Indices(std::move(rows)));
}

}  // namespace kb::kernels
