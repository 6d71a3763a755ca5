// A long sorted sequence in chunks of bounded size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace kb::modules {

// Result of visiting an element: whether it is erased, and whether the visit continues.
enum class Visit { go_on, stop, erase, erase_and_stop };

// Elements ascend by KeyOf()(element); equal keys keep the order of insertion. The memory overhead per element is
// small, and an operation costs at most the move of one chunk, regardless of the number of elements.
template <typename T, typename KeyOf>
class SortedChunks {
 public:
  using Key = decltype(KeyOf()(std::declval<const T&>()));
  using Chunk = std::vector<T>;
  static constexpr std::size_t kMaxInChunk = 256;

  bool empty() const { return chunks_.empty(); }
  std::size_t size() const { return size_; }
  Key first_key() const { return KeyOf()(chunks_.front().front()); }

  void insert(const T& element) {
    const Key key = KeyOf()(element);
    ++size_;
    if (chunks_.empty() || !(key < KeyOf()(chunks_.back().back()))) {
      append(element);
      return;
    }
    const std::size_t later =
        first_where(chunks_.size(), [&](std::size_t c) { return key < KeyOf()(chunks_[c].front()); });
    std::size_t c = later == 0 ? 0 : later - 1;
    std::size_t place = first_where(chunks_[c].size(), [&](std::size_t i) { return key < KeyOf()(chunks_[c][i]); });
    if (chunks_[c].size() == kMaxInChunk) {
      split(c);
      if (place > chunks_[c].size()) place -= chunks_[c++].size();
    }
    chunks_[c].insert(chunks_[c].begin() + static_cast<std::ptrdiff_t>(place), element);
  }
  // Inserts 1 .. kMaxInChunk sorted elements before all others.
  void push_front(Chunk&& chunk) {
    size_ += chunk.size();
    chunks_.push_front(std::move(chunk));
  }
  // Removes and returns a chunk with at least the first element.
  Chunk pop_front() {
    Chunk first = std::move(chunks_.front());
    chunks_.pop_front();
    size_ -= first.size();
    return first;
  }

  // Calls f(element) from the last element to the first until f stops; returns false when it did.
  template <typename F>
  bool visit_backwards(F&& f) {
    return visit(chunks_.size(), 0, f);
  }
  // The same, from the last element with a key below `limit`.
  template <typename F>
  bool visit_backwards_below(const Key& limit, F&& f) {
    const std::size_t end =
        first_where(chunks_.size(), [&](std::size_t c) { return !(KeyOf()(chunks_[c].front()) < limit); });
    if (end == 0) return true;
    const Chunk& last = chunks_[end - 1];
    return visit(end - 1, first_where(last.size(), [&](std::size_t i) { return !(KeyOf()(last[i]) < limit); }), f);
  }
  template <typename F>
  void for_each(F&& f) const {
    for (const Chunk& chunk : chunks_) std::for_each(chunk.begin(), chunk.end(), f);
  }

 private:
  // The first index below `size` for which the monotone predicate `holds` is true; `size` if there is none.
  template <typename F>
  static std::size_t first_where(std::size_t size, F&& holds) {
    std::size_t low = 0;
    for (std::size_t high = size; low < high;) {
      const std::size_t middle = low + (high - low) / 2;
      if (holds(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
  void append(const T& element) {
    if (chunks_.empty() || chunks_.back().size() == kMaxInChunk) chunks_.emplace_back().reserve(kMaxInChunk);
    chunks_.back().push_back(element);
  }
  void split(std::size_t c) {
    Chunk rest;
    rest.reserve(kMaxInChunk);
    rest.assign(chunks_[c].begin() + kMaxInChunk / 2, chunks_[c].end());
    chunks_[c].resize(kMaxInChunk / 2);
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(c + 1), std::move(rest));
  }
  // Visits the elements before element `i` of chunk `c`.
  template <typename F>
  bool visit(std::size_t c, std::size_t i, F& f) {
    for (bool more = true;; i = chunks_[--c].size()) {
      while (more && i > 0) {
        Chunk& chunk = chunks_[c];
        const Visit visit = f(chunk[--i]);
        if (visit == Visit::erase || visit == Visit::erase_and_stop) {
          chunk.erase(chunk.begin() + static_cast<std::ptrdiff_t>(i));
          --size_;
        }
        more = visit == Visit::go_on || visit == Visit::erase;
      }
      if (c < chunks_.size() && chunks_[c].empty()) chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(c));
      if (!more) return false;
      if (c == 0) return true;
    }
  }

  std::deque<Chunk> chunks_;  // never empty
  std::size_t size_ = 0;
};

}  // namespace kb::modules
