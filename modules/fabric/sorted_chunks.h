// A long sorted sequence in pieces of memory of bounded size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace kb::modules {

// What becomes of an element that was looked at, and whether the next one is.
enum class Visit { go_on, stop, erase, erase_and_stop };

// Ascending by KeyOf()(element); equal ones in the order of insertion. An element takes hardly more than its own size,
// and a step costs no more than moving one chunk, however many elements there are.
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
  // 1 .. kMaxInChunk elements in order, before all others.
  void push_front(Chunk&& chunk) {
    size_ += chunk.size();
    chunks_.push_front(std::move(chunk));
  }
  // At least the first element.
  Chunk pop_front() {
    Chunk first = std::move(chunks_.front());
    chunks_.pop_front();
    size_ -= first.size();
    return first;
  }

  // Calls f(element) from the last element to the first until it stops; false when it did.
  template <typename F>
  bool visit_backwards(F&& f) {
    return visit(chunks_.size(), 0, f);
  }
  // The same, beginning with the last element whose key is below `limit`.
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
  // The first index below `size` for which `holds` is true, as it is for all behind it; `size` if there is none.
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
  // Visits what lies before element `i` of chunk `c`.
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

  std::deque<Chunk> chunks_;  // none of them empty
  std::size_t size_ = 0;
};

}  // namespace kb::modules
