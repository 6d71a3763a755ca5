// Element selection of indexed and masked accesses.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/tl/tensor_handle.h"

namespace kb::tl {

// Row numbers: an integer tensor in scratch whose contents the kernel may read (P-62), or known numbers.
class Indices {
 public:
  Indices(const TensorHandle& tensor) : tensor_(&tensor) {}
  Indices(std::vector<std::int64_t> numbers) : numbers_(std::move(numbers)) {}

  const TensorHandle* tensor() const { return tensor_; }  // null: use numbers()
  const std::vector<std::int64_t>& numbers() const { return numbers_; }

 private:
  const TensorHandle* tensor_ = nullptr;
  std::vector<std::int64_t> numbers_;
};

// Selected elements in row-major order: an integer tensor in scratch as above (0: not selected), or known flags.
class Mask {
 public:
  Mask(const TensorHandle& tensor) : tensor_(&tensor) {}
  Mask(std::vector<bool> known) : known_(std::move(known)) {}

  const TensorHandle* tensor() const { return tensor_; }  // null: use known()
  const std::vector<bool>& known() const { return known_; }

 private:
  const TensorHandle* tensor_ = nullptr;
  std::vector<bool> known_;
};

}  // namespace kb::tl
