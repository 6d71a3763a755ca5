#include "kernels/collective/direct_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/tl/scratch.h"

namespace kb::kernels {

using tl::Future;
using tl::Ptr;
using tl::TensorHandle;

namespace {

// Maximum number of posted receives per segment; more would only need memory of the simulator.
constexpr std::int64_t kMaxPosted = 1024;
constexpr std::int64_t kSums = 4;  // buffers for sums of narrow integers, which are added as wider ones

}  // namespace

Span Span::part(std::int64_t index, std::int64_t chunk) const {
  const std::int64_t begin = std::min(size, index * chunk);
  return {first + begin, std::min(chunk, size - begin)};
}

Span Span::block(std::int64_t index, std::int64_t count) const {
  const std::int64_t least = size / count, longer = size % count;
  return {first + index * least + std::min(index, longer), least + (index < longer ? 1 : 0)};
}

DirectExchange::DirectExchange(tl::Context& tl, Ptr in, Ptr out, const Size& size, const std::string& links)
    : tl_(tl), in_(in), out_(out), size_(size) {
  size_.ahead = std::max<std::int64_t>(1, size.ahead);
  // Half of the scratch is for the buffers of an accumulation and a copy.
  const auto bytes = static_cast<std::int64_t>(tl.info().scratch_bytes / 2);
  const auto item = static_cast<std::int64_t>(item_size(in.dtype()));
  const std::int64_t most = std::max<std::int64_t>(1, bytes / item / (size_.ahead + 3 + LocalCopy::kBuffers + kSums));
  size_.chunk = size.chunk > 0 ? std::min(size.chunk, most) : most;
  for (std::int64_t d = 0; d < size_.ranks; ++d) {
    // The shorter direction around the ring; second links have the number of ranks added to the distance. A message
    // sent under one sign arrives under the other sign, so that a link has one label for both, except where +d and -d
    // lead to the same rank.
    const std::int64_t hop = 2 * d <= size_.ranks ? d : d - size_.ranks;
    const bool half = 2 * d == size_.ranks;
    Links to, from;
    for (const std::int64_t more : {std::int64_t{0}, hop > 0 ? size_.ranks : -size_.ranks}) {
      if (more != 0 && !size_.twice) break;
      for (const std::int64_t sign : {1, -1}) {
        if (sign < 0 && !half) break;
        to.labels.push_back(fmt::format("{}{:+}", links, sign * (hop + more)));
        from.labels.push_back(fmt::format("{}{:+}", links, (half ? -sign : sign) * (hop + more)));
      }
    }
    to_.push_back(to);
    from_.push_back(from);
  }
}

void DirectExchange::send(std::int64_t rank, Ptr from, std::int64_t elements) {
  if (elements > 0) tl_.send(to(rank).next(), from, {elements});
}

void DirectExchange::send(std::int64_t rank, const TensorHandle& value) {
  tl_.send(to(rank).next(), value);
}

Future DirectExchange::receive(std::int64_t rank, std::int64_t elements) {
  return tl_.recv_async(from(rank).next(), {elements}, in_.dtype());
}

Future DirectExchange::receive_into(std::int64_t rank, Ptr into, std::int64_t elements) {
  return tl_.recv_async(from(rank).next(), into, {elements});
}

std::vector<Future> DirectExchange::receive_from(const std::vector<std::int64_t>& ranks, std::int64_t elements) {
  std::vector<Future> all;
  for (const std::int64_t rank : ranks) all.push_back(receive(rank, elements));
  return all;
}

std::vector<std::int64_t> DirectExchange::others() const {
  std::vector<std::int64_t> all;
  for (std::int64_t d = 1; d < ranks(); ++d) all.push_back(around(-d));
  return all;
}

void DirectExchange::collect(std::int64_t rank, Ptr into, std::int64_t elements) {
  if (elements > 0) into_memory_.push_back(receive_into(rank, into, elements));
}

void DirectExchange::wait_all() {
  for (const Future& future : into_memory_) tl_.wait(future);
  into_memory_.clear();
}

std::vector<Span> DirectExchange::segments(const Span& whole, std::int64_t streams) const {
  const std::int64_t step = std::max<std::int64_t>(1, kMaxPosted / std::max<std::int64_t>(1, streams)) * chunk();
  std::vector<Span> all;
  for (std::int64_t i = 0; i < whole.chunks(step); ++i) all.push_back(whole.part(i, step));
  return all;
}

// --- Own elements

LocalCopy::LocalCopy(const DirectExchange& x, Ptr from, Ptr to, std::int64_t elements)
    : tl_(x.tl()), from_(from), to_(to), whole_{0, from == to ? 0 : elements}, chunk_(x.chunk()) {
  if (whole_.size == 0) return;
  for (TensorHandle& buffer : buffers_) buffer = tl_.empty({std::min(chunk_, elements)}, from.dtype());
}

// Two chunks are loaded and two are stored at a time, each in its own buffer.
void LocalCopy::step() {
  if (const Span part = whole_.part(next_, chunk_); part.size > 0) {
    if (stores_.size() + 1 == LocalCopy::kBuffers) {
      tl_.wait(stores_.front());
      stores_.pop_front();
    }
    const TensorHandle buffer = tl_.view(buffers_[next_ % LocalCopy::kBuffers], 0, {part.size});
    loads_.push_back({buffer, tl_.load_into_async(buffer, from_ + part.first), part});
    ++next_;
    if (loads_.size() < 2) return;
  }
  if (loads_.empty()) return;
  const Under load = loads_.front();
  loads_.pop_front();
  tl_.wait(load.future);
  stores_.push_back(tl_.store_async(to_ + load.part.first, load.buffer));
}

void LocalCopy::finish() {
  while (whole_.part(next_, chunk_).size > 0 || !loads_.empty()) step();
  for (const Future& store : stores_) tl_.wait(store);
  stores_.clear();
}

// --- Sums

Accumulation::Accumulation(const DirectExchange& x, const Reduction& reduction, std::int64_t shift)
    : x_(x), reduction_(reduction), shift_(shift), stores_(static_cast<std::size_t>(x.ahead() + 2)) {
  for (std::size_t i = 0; i < stores_.size(); ++i) buffers_.push_back(x.tl().empty({x.chunk()}, x.in().dtype()));
}

void Accumulation::begin(const Span& part, std::vector<Future> contributions) {
  const std::size_t buffer = entered_steps_++ % buffers_.size();
  for (const Future& store : stores_[buffer]) x_.tl().wait(store);
  stores_[buffer].clear();
  const TensorHandle own = x_.tl().view(buffers_[buffer], 0, {part.size});
  parts_.push_back({part, own, x_.tl().load_into_async(own, x_.in(part.first)), std::move(contributions)});
}

TensorHandle Accumulation::sum(std::int64_t lower) {
  const Part part = std::move(parts_.front());
  parts_.pop_front();
  ++sums_;
  summed_ = part.span;
  tl::Context& tl = x_.tl();
  tl::Scratch scratch(tl);
  tl.wait(part.load);
  TensorHandle acc = reduction_.begin(part.own);
  std::size_t next = 0;
  if (lower >= 2) {
    TensorHandle below = reduction_.begun(tl.wait(part.contributions[0]));
    for (next = 1; next < static_cast<std::size_t>(lower); ++next) {
      reduction_.add_unbegun(below, tl.wait(part.contributions[next]));
    }
    reduction_.add(acc, below);
  }
  for (; next < part.contributions.size(); ++next) reduction_.add_unbegun(acc, tl.wait(part.contributions[next]));
  reduction_.finish_into(part.own, acc);
  return part.own;
}

void Accumulation::store(const TensorHandle& value) {
  stores_[(sums_ - 1) % buffers_.size()].push_back(x_.tl().store_async(x_.out(summed_.first + shift_), value));
}

void Accumulation::finish() {
  for (auto& stores : stores_) {
    for (const Future& store : stores) x_.tl().wait(store);
    stores.clear();
  }
}

}  // namespace kb::kernels
