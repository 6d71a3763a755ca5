// Tensors of the kernel tests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "platform/base/ids.h"
#include "platform/contract/tensor_layout.h"

namespace kb::tests {

using LayoutPtr = std::shared_ptr<contract::TensorLayout>;

inline LayoutPtr empty_layout(std::string name, Dtype dtype, Shape shape, Shape shard_shape) {
  auto layout = std::make_shared<contract::TensorLayout>();
  layout->name = std::move(name);
  layout->dtype = dtype;
  layout->nbytes = static_cast<std::uint64_t>(element_count(shape)) * item_size(dtype);
  layout->shape = std::move(shape);
  layout->shard_shape = std::move(shard_shape);
  return layout;
}

// A tensor that is completely at sip0.cube0.pe0.
inline LayoutPtr whole(std::string name, Dtype dtype, Shape shape, std::uint64_t pa) {
  LayoutPtr layout = empty_layout(std::move(name), dtype, shape, shape);
  layout->shards.push_back({pe_at(0, 0, 0), pa, layout->nbytes, 0});
  return layout;
}

// Split by rows over `pes` PEs of cube 0; shard i lies at pa + i * 0x100000.
inline LayoutPtr row_wise(std::string name, Dtype dtype, Shape shape, std::uint64_t pa, std::uint32_t pes) {
  LayoutPtr layout = empty_layout(std::move(name), dtype, shape, {shape[0] / pes, shape[1]});
  const std::uint64_t part = layout->nbytes / pes;
  for (std::uint32_t i = 0; i < pes; ++i) {
    layout->shards.push_back({pe_at(0, 0, i), pa + i * std::uint64_t{0x100000}, part, i * part});
  }
  return layout;
}

// Split by columns in the same way.
inline LayoutPtr column_wise(std::string name, Dtype dtype, Shape shape, std::uint64_t pa, std::uint32_t pes) {
  LayoutPtr layout = empty_layout(std::move(name), dtype, shape, {shape[0], shape[1] / pes});
  const std::uint64_t part = layout->nbytes / pes;
  for (std::uint32_t i = 0; i < pes; ++i) {
    layout->shards.push_back({pe_at(0, 0, i), pa + i * std::uint64_t{0x100000}, part, i * part});
  }
  return layout;
}

// A copy at each of `cubes` x `pes` PEs; copy (c, p) lies at pa + (c * pes + p) * 0x100000.
inline LayoutPtr replicated(std::string name, Dtype dtype, Shape shape, std::uint64_t pa, std::uint32_t cubes,
                            std::uint32_t pes) {
  LayoutPtr layout = empty_layout(std::move(name), dtype, shape, shape);
  for (std::uint32_t c = 0; c < cubes; ++c) {
    for (std::uint32_t p = 0; p < pes; ++p) {
      layout->shards.push_back({pe_at(0, c, p), pa + (c * pes + p) * std::uint64_t{0x100000}, layout->nbytes, 0});
    }
  }
  return layout;
}

}  // namespace kb::tests
