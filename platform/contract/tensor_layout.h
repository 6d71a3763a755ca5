// Where the bytes of a deployed tensor lie.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/dtype.h"
#include "platform/base/ids.h"
#include "platform/base/memory_kind.h"

namespace kb::contract {

// One shard of a deployed tensor (K-25): `nbytes` at physical address `pa`, holding the tensor's bytes
// [offset_bytes, offset_bytes + nbytes) in shard order. Replicas share an offset.
struct Shard {
  PeCoord owner;
  std::uint64_t pa = 0;
  std::uint64_t nbytes = 0;
  std::uint64_t offset_bytes = 0;
  Shape shape{};  // of uneven splits; empty: the layout's shard_shape
};

// The single source of truth for binding a tensor to kernel arguments (H-20). Immutable after deployment.
struct TensorLayout {
  std::uint64_t id = 0;
  std::string name;
  Dtype dtype = Dtype::f16;
  Shape shape;                // global, one to four dimensions
  Shape shard_shape;          // of shards without a shape of their own
  std::uint64_t nbytes = 0;   // size of the whole tensor (replicas counted once)
  std::vector<Shard> shards;  // cube-major, then PE; in SRAM the copies of one cube share their address
  MemoryKind memory = MemoryKind::hbm;
  // Address models VA and LA: the tagged virtual or logical address of byte 0 in shard order; the tensor's bytes follow
  // it. Absent: the tensor is addressed by the physical addresses of its shards.
  std::optional<std::uint64_t> va_base;

  const Shape& shape_of(const Shard& shard) const { return shard.shape.empty() ? shard_shape : shard.shape; }
};

}  // namespace kb::contract
