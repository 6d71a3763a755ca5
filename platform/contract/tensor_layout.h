// Placement of a deployed tensor in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/base/ids.h"
#include "platform/base/memory_kind.h"

namespace kb::contract {

// One shard of a deployed tensor (K-25): `nbytes` at physical address `pa`, which hold the bytes [offset_bytes,
// offset_bytes + nbytes) of the tensor in shard order. Replicas have equal offsets.
struct Shard {
  PeCoord owner;
  std::uint64_t pa = 0;
  std::uint64_t nbytes = 0;
  std::uint64_t offset_bytes = 0;
  Shape shape{};  // set in uneven splits; empty: the layout's shard_shape
};

// Everything that is needed to bind a tensor to kernel arguments (H-20). Immutable after deployment.
struct TensorLayout {
  std::uint64_t id = 0;
  std::string name;
  bool named = true;  // false: the name was made up, and tells a reader nothing
  Dtype dtype = Dtype::f16;
  Shape shape;                // global, one to four dimensions
  Shape shard_shape;          // for shards without their own shape
  std::uint64_t nbytes = 0;   // size of the whole tensor, replicas counted once
  std::vector<Shard> shards;  // cube-major, then PE; in SRAM the replicas of one cube have the same address
  MemoryKind memory = MemoryKind::hbm;
  // Address models VA and LA: tagged virtual or logical address of the tensor's first byte; the other bytes follow in
  // shard order. No value: the tensor is addressed by the physical addresses of its shards.
  std::optional<std::uint64_t> va_base;

  const Shape& shape_of(const Shard& shard) const { return shard.shape.empty() ? shard_shape : shard.shape; }
};

}  // namespace kb::contract
