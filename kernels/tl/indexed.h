// Which elements indexed and masked accesses take.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/tl/tensor_handle.h"

namespace kb::tl {

// Row numbers: an integer tensor in scratch whose contents the kernel may look at (P-62), or numbers that it knows.
class Indices {
 public:
  Indices(const TensorHandle& tensor) : tensor_(&tensor) {}
  Indices(std::vector<std::int64_t> numbers) : numbers_(std::move(numbers)) {}

  const TensorHandle* tensor() const { return tensor_; }  // null: numbers()
  const std::vector<std::int64_t>& numbers() const { return numbers_; }

 private:
  const TensorHandle* tensor_ = nullptr;
  std::vector<std::int64_t> numbers_;
};

// Which elements take part, in row-major order: an integer tensor in scratch (0: does not) as above, or known ones.
class Mask {
 public:
  Mask(const TensorHandle& tensor) : tensor_(&tensor) {}
  Mask(std::vector<bool> known) : known_(std::move(known)) {}

  const TensorHandle* tensor() const { return tensor_; }  // null: known()
  const std::vector<bool>& known() const { return known_; }

 private:
  const TensorHandle* tensor_ = nullptr;
  std::vector<bool> known_;
};

}  // namespace kb::tl
