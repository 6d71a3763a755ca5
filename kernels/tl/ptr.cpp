#include "kernels/tl/ptr.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "platform/base/error.h"
#include "platform/contract/tensor_layout.h"

namespace kb::tl {
namespace {

// Begins, in shard order, of the shards that are smaller than the others.
std::map<std::uint64_t, Shape> blocks_of(const contract::TensorLayout& tensor) {
  std::map<std::uint64_t, Shape> blocks;
  for (const contract::Shard& shard : tensor.shards) {
    if (!shard.shape.empty()) blocks.emplace(shard.offset_bytes, shard.shape);
  }
  return blocks;
}

}  // namespace

Ptr::Ptr(const contract::TensorLayout& tensor) : tensor_(&tensor), dtype_(tensor.dtype) {}

const Shape& Ptr::shape() const {
  return tensor().shape;
}

const contract::TensorLayout& Ptr::tensor() const {
  if (tensor_ == nullptr) {
    throw Error::program("SCHEMA_ERROR", "a tl::Ptr that points to no tensor was used; take it from a kernel argument");
  }
  return *tensor_;
}

void Ptr::refuse(std::int64_t steps, std::int64_t bytes_of_a_step) const {
  const std::string tensor =
      null() ? "" : fmt::format(" in tensor '{}', which has {} bytes", tensor_->name, tensor_->nbytes);
  throw Error::program("ADDRESS_ERROR", fmt::format("{} steps of {} B from byte {}{} lead beyond every address; "
                                                    "offsets fit 64 bits",
                                                    steps, bytes_of_a_step, offset_, tensor));
}

bool Ptr::row_major() const {
  const Shape& whole = tensor().shape;
  const Shape& shard = tensor().shard_shape;
  return shard.size() == whole.size() &&
         (whole.empty() || std::equal(whole.begin() + 1, whole.end(), shard.begin() + 1));
}

bool Ptr::same_order(Ptr other) const {
  if (shape() != other.shape()) return false;
  if (row_major() && other.row_major()) return true;
  return tensor().shard_shape == other.tensor().shard_shape && blocks_of(tensor()) == blocks_of(other.tensor());
}

std::string shape_text(Ptr tensor) {
  return fmt::format("'{}' {}", tensor.tensor().name, format_shape(tensor.shape()));
}

}  // namespace kb::tl
