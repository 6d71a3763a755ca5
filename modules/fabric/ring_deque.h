// Double-ended queue over one power-of-two buffer: no allocation until the first element, none in the steady state.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

namespace kb::modules {

// T is default constructible and cheap to move. An empty queue starts over at the front of its buffer, so that a queue
// that rarely holds more than a few elements keeps to the same few cache lines.
template <typename T>
class RingDeque {
 public:
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == capacity_; }
  std::size_t size() const { return size_; }
  T& front() { return buffer_[head_]; }
  const T& front() const { return buffer_[head_]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }
  T& operator[](std::size_t i) { return buffer_[index(i)]; }
  const T& operator[](std::size_t i) const { return buffer_[index(i)]; }

  void push_back(T value) {
    if (full()) grow();
    buffer_[index(size_++)] = std::move(value);
  }
  // Makes room at the back; the element holds an old value.
  T& push_back() {
    if (full()) grow();
    return buffer_[index(size_++)];
  }
  void push_front(T value) {
    if (full()) grow();
    head_ = (head_ - 1) & (capacity_ - 1);
    buffer_[head_] = std::move(value);
    ++size_;
  }
  void pop_front() {
    --size_;
    head_ = size_ == 0 ? 0 : (head_ + 1) & (capacity_ - 1);
  }
  void pop_back() {
    --size_;
    if (size_ == 0) head_ = 0;
  }
  void clear() { size_ = head_ = 0; }
  void insert(std::size_t position, T value) {
    if (position == 0) {
      push_front(std::move(value));
      return;
    }
    push_back(T{});
    for (std::size_t i = size_ - 1; i > position; --i) (*this)[i] = std::move((*this)[i - 1]);
    (*this)[position] = std::move(value);
  }
  void erase(std::size_t position) {
    for (std::size_t i = position; i + 1 < size_; ++i) (*this)[i] = std::move((*this)[i + 1]);
    pop_back();
  }

 private:
  std::size_t index(std::size_t i) const { return (head_ + i) & (capacity_ - 1); }
  void grow() {
    const std::uint32_t capacity = capacity_ == 0 ? 4 : capacity_ * 2;
    auto larger = std::make_unique<T[]>(capacity);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    buffer_ = std::move(larger);
    capacity_ = capacity;
    head_ = 0;
  }

  std::unique_ptr<T[]> buffer_;
  std::uint32_t head_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace kb::modules
