// A sorted queue that is fast for few and for many elements.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "modules/fabric/sliding_deque.h"
#include "modules/fabric/sorted_chunks.h"

namespace kb::modules {

// Elements ascend by KeyOf()(element); equal keys keep the order of insertion. A short queue is contiguous, and
// insertion searches from the back. In a long queue only the first elements are contiguous and the others are in
// chunks, so that an insertion into a million elements does not take a million steps.
template <typename T, typename KeyOf>
class SortedQueue {
 public:
  using Key = decltype(KeyOf()(std::declval<const T&>()));
  // Minimum number of first elements that can be accessed by index, if there are as many.
  static constexpr std::size_t kLeastNear = 64;

  bool empty() const { return near_.empty(); }
  std::size_t size() const { return near_.size() + (far_ == nullptr ? 0 : far_->size()); }
  T& front() { return near_.front(); }
  const T& front() const { return near_.front(); }
  void prefetch_front() const { near_.prefetch_front(); }
  void prefetch_back() const { near_.prefetch_back(); }
  // Access to the first elements. Changes must preserve the order.
  std::size_t near_size() const { return near_.size(); }
  T& operator[](std::size_t i) { return near_[i]; }
  const T& operator[](std::size_t i) const { return near_[i]; }

  void pop_front() {
    near_.pop_front();
    refill();
  }
  void insert(const T& element) {
    const Key key = KeyOf()(element);
    if (far_ != nullptr && !(key < far_->first_key())) {
      far_->insert(element);
      return;
    }
    std::size_t place = near_.size();
    const std::size_t close = place > kClose ? place - kClose : 0;
    while (place > close && key < KeyOf()(near_[place - 1])) --place;
    if (place == close) place = near_where(0, place, [&](const Key& other) { return !(key < other); });
    insert_near(place, element);
  }
  // Inserts an element that belongs near the front, before equal ones.
  void insert_from_front(const T& element) {
    const Key key = KeyOf()(element);
    std::size_t place = 0;
    const std::size_t close = std::min(kClose, near_.size());
    while (place < close && KeyOf()(near_[place]) < key) ++place;
    if (place == close) place = near_where(place, near_.size(), [&](const Key& other) { return other < key; });
    if (far_ != nullptr && place == near_.size()) {
      far_->insert(element);
      return;
    }
    if (place > kNearFront) {
      insert_near(place, element);
      return;
    }
    near_.push_front(element);
    for (std::size_t i = 0; i < place; ++i) near_[i] = std::move(near_[i + 1]);
    near_[place] = element;
    if (near_.size() > kMaxNear) spill();
  }

  // Calls f(element) from the last element to the first, until f returns stop. f must not change the key.
  template <typename F>
  void visit_backwards(F&& f) {
    if (far_ != nullptr && !go_on_after(far_->visit_backwards(f))) return;
    visit_near(near_.size(), f);
  }
  // The same, from the last element with a key below `limit`.
  template <typename F>
  void visit_backwards_below(const Key& limit, F&& f) {
    if (far_ != nullptr && far_->first_key() < limit && !go_on_after(far_->visit_backwards_below(limit, f))) return;
    visit_near(near_where(0, near_.size(), [&](const Key& key) { return key < limit; }), f);
  }
  template <typename F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < near_.size(); ++i) f(near_[i]);
    if (far_ != nullptr) far_->for_each(f);
  }

 private:
  using Far = SortedChunks<T, KeyOf>;
  static constexpr std::size_t kMaxNear = 512;
  static_assert(Far::kMaxInChunk <= kMaxNear / 2);
  static constexpr std::size_t kNearFront = 16;
  static constexpr std::size_t kClose = 8;  // linear comparisons before a binary search

  // The first index of [low, high) for which the monotone predicate `holds` is false; `high` if there is none.
  template <typename F>
  std::size_t near_where(std::size_t low, std::size_t high, F&& holds) const {
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (holds(KeyOf()(near_[middle]))) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  // Called after a visit of the far elements, which may have erased all of them.
  bool go_on_after(bool far_visited) {
    if (far_->empty()) far_.reset();
    return far_visited;
  }
  template <typename F>
  void visit_near(std::size_t end, F& f) {
    for (std::size_t i = end; i-- > 0;) {
      const Visit visit = f(near_[i]);
      if (visit == Visit::erase || visit == Visit::erase_and_stop) near_.erase(i);
      if (visit == Visit::stop || visit == Visit::erase_and_stop) break;
    }
    refill();
  }
  void insert_near(std::size_t place, const T& element) {
    near_.insert(place, element);
    if (near_.size() > kMaxNear) spill();
  }
  void spill() {
    if (far_ == nullptr) far_ = std::make_unique<Far>();
    typename Far::Chunk chunk;
    chunk.reserve(Far::kMaxInChunk);
    const std::size_t kept = near_.size() - Far::kMaxInChunk;
    for (std::size_t i = kept; i < near_.size(); ++i) chunk.push_back(near_[i]);
    while (near_.size() > kept) near_.pop_back();
    far_->push_front(std::move(chunk));
  }
  void refill() {
    if (far_ != nullptr && near_.size() < kLeastNear) refill_from_far();
  }
  [[gnu::noinline]] void refill_from_far() {
    while (near_.size() < kMaxNear / 2 && !far_->empty()) {
      for (const T& element : far_->pop_front()) near_.push_back(element);
    }
    if (far_->empty()) far_.reset();
  }

  SlidingDeque<T> near_;
  std::unique_ptr<Far> far_;  // elements after near_; null instead of empty
};

}  // namespace kb::modules
