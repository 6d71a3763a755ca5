// Double-ended queue over one power-of-two buffer: no allocation until the first element, none in the steady state.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace kb::modules {

template <typename T>
class RingDeque {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return buffer_[head_]; }
  const T& front() const { return buffer_[head_]; }
  T& back() { return buffer_[(head_ + size_ - 1) & mask()]; }
  const T& back() const { return buffer_[(head_ + size_ - 1) & mask()]; }
  T& operator[](std::size_t i) { return buffer_[(head_ + i) & mask()]; }
  const T& operator[](std::size_t i) const { return buffer_[(head_ + i) & mask()]; }

  void push_back(const T& value) {
    if (size_ == buffer_.size()) grow();
    buffer_[(head_ + size_++) & mask()] = value;
  }
  void push_front(const T& value) {
    if (size_ == buffer_.size()) grow();
    head_ = (head_ - 1) & mask();
    buffer_[head_] = value;
    ++size_;
  }
  void pop_front() {
    head_ = (head_ + 1) & mask();
    --size_;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void insert(std::size_t position, const T& value) {
    if (position == 0) {
      push_front(value);
      return;
    }
    push_back(value);
    for (std::size_t i = size_ - 1; i > position; --i) (*this)[i] = (*this)[i - 1];
    (*this)[position] = value;
  }
  void erase(std::size_t position) {
    for (std::size_t i = position; i + 1 < size_; ++i) (*this)[i] = (*this)[i + 1];
    --size_;
  }

 private:
  std::size_t mask() const { return buffer_.size() - 1; }
  void grow() {
    std::vector<T> larger(buffer_.empty() ? 4 : buffer_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    buffer_ = std::move(larger);
    head_ = 0;
  }

  std::vector<T> buffer_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace kb::modules
