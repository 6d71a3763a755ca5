// Double-ended queue in contiguous memory, without allocation until the first element and in the steady state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace kb::modules {

// T is default constructible and cheap to move. The elements are contiguous, and move to the start of the buffer when
// the free space before them exceeds their size. Therefore the memory that a queue touches depends on its current
// length instead of its maximum: thousands of short queues share the cache.
template <typename T>
class SlidingDeque {
 public:
  bool empty() const { return size_ == 0; }
  // Prefetches the front element, or the place of the next pushed element, into the cache.
  void prefetch_front() const { __builtin_prefetch(buffer_.get() + head_); }
  void prefetch_back() const { __builtin_prefetch(buffer_.get() + head_ + size_, 1); }
  std::size_t size() const { return size_; }
  T& front() { return buffer_[head_]; }
  const T& front() const { return buffer_[head_]; }
  T& back() { return buffer_[head_ + size_ - 1]; }
  const T& back() const { return buffer_[head_ + size_ - 1]; }
  T& operator[](std::size_t i) { return buffer_[head_ + i]; }
  const T& operator[](std::size_t i) const { return buffer_[head_ + i]; }

  void push_back(const T& value) {
    const T copy = value;  // value may be an element of this queue
    push_back() = copy;
  }
  // Adds an element that has an old value.
  T& push_back() {
    if (head_ > size_ || head_ + size_ == capacity_) grow_back();
    return buffer_[head_ + size_++];
  }
  void push_front(const T& value) {
    const T copy = value;
    if (head_ == 0) make_room_before();
    buffer_[--head_] = copy;
    ++size_;
  }
  void pop_front() {
    --size_;
    head_ = size_ == 0 ? 0 : head_ + 1;
  }
  void pop_back() {
    --size_;
    if (size_ == 0) head_ = 0;
  }
  void clear() { size_ = head_ = 0; }
  void insert(std::size_t position, const T& value) {
    const T copy = value;
    push_back();
    for (std::size_t i = size_ - 1; i > position; --i) (*this)[i] = std::move((*this)[i - 1]);
    (*this)[position] = copy;
  }
  void erase(std::size_t position) {
    for (std::size_t i = position; i + 1 < size_; ++i) (*this)[i] = std::move((*this)[i + 1]);
    pop_back();
  }

 private:
  static constexpr std::uint32_t kSlack = 4;

  void grow_back() {
    if (head_ > 0 && 2 * head_ >= size_) {
      slide(0);
    } else {
      grow(0);
    }
  }
  void make_room_before() {
    const std::uint32_t room = std::max(kSlack, size_ / 2);
    if (capacity_ - size_ >= room) {
      slide(room);
    } else {
      grow(room);
    }
  }
  void slide(std::uint32_t to) {
    T* const elements = buffer_.get();
    if (to < head_) {
      std::move(elements + head_, elements + head_ + size_, elements + to);
    } else {
      std::move_backward(elements + head_, elements + head_ + size_, elements + to + size_);
    }
    head_ = to;
  }
  void grow(std::uint32_t to) {
    const std::uint32_t capacity = std::max(kSlack, 2 * capacity_) + to;
    auto larger = std::make_unique<T[]>(capacity);
    std::move(buffer_.get() + head_, buffer_.get() + head_ + size_, larger.get() + to);
    buffer_ = std::move(larger);
    capacity_ = capacity;
    head_ = to;
  }

  std::unique_ptr<T[]> buffer_;
  std::uint32_t head_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace kb::modules
