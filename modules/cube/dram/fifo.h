// A queue in contiguous memory.
#pragma once

#include <cstddef>
#include <vector>

namespace kb::dram {

// Moves its elements to the front of the buffer when half of it is passed, so it touches little memory.
template <typename T>
class Fifo {
 public:
  bool empty() const { return head_ == elements_.size(); }
  std::size_t size() const { return elements_.size() - head_; }
  const T& front() const { return elements_[head_]; }
  T& back() { return elements_.back(); }
  const T& back() const { return elements_.back(); }
  void push_back(const T& element) { elements_.push_back(element); }
  void pop_front() {
    if (++head_ == elements_.size()) {
      elements_.clear();
      head_ = 0;
    } else if (head_ >= kLongest && 2 * head_ >= elements_.size()) {
      elements_.erase(elements_.begin(), elements_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }

 private:
  static constexpr std::size_t kLongest = 16;

  std::vector<T> elements_;
  std::size_t head_ = 0;
};

}  // namespace kb::dram
