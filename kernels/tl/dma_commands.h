// Creates the commands of PE_DMA.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/tl/addressing.h"
#include "kernels/tl/call.h"
#include "kernels/tl/dispatch.h"
#include "kernels/tl/indexed.h"
#include "kernels/tl/selection.h"
#include "kernels/tl/tensors.h"
#include "platform/contract/command.h"

namespace kb::tl {

// Creates the commands of loads and stores between memory and scratch. All calls reuse one command, so that a call
// needs no allocation.
class DmaCommands {
 public:
  DmaCommands(const Call& call, Tensors& tensors, Addressing& addressing, Selection& selection)
      : call_(call), tensors_(tensors), addressing_(addressing), selection_(selection) {}

  // The dtype to which a value must be cast before it is stored there; no value when it has this dtype, or cannot be
  // stored.
  std::optional<Dtype> cast_before_store(Ptr ptr, const TensorHandle& value) const;
  // Dense or strided tiles.
  Dispatch::Work load(Ptr ptr, Shape&& shape, std::optional<Dtype> dtype, std::int64_t row_stride);
  contract::Command& load_into(const TensorHandle& out, Ptr ptr, std::int64_t row_stride);
  contract::Command& store(Ptr ptr, const TensorHandle& value, std::int64_t row_stride);
  contract::Command& add(Ptr ptr, const TensorHandle& value);
  // Indexed rows.
  Dispatch::Work gather(Ptr ptr, const Indices& rows, std::int64_t row_elements);
  contract::Command& gather_into(const TensorHandle& out, Ptr ptr, const Indices& rows);
  contract::Command& scatter(Ptr ptr, const Indices& rows, const TensorHandle& value);
  contract::Command& add(Ptr ptr, const Indices& rows, const TensorHandle& value);
  // Masked elements of a tile.
  Dispatch::Work load(Ptr ptr, Shape&& shape, const Mask& mask, Scalar other);
  contract::Command& store(Ptr ptr, const TensorHandle& value, const Mask& mask);

 private:
  void begin(contract::CommandKind kind, Ptr ptr);
  contract::Command& tile(contract::CommandKind kind, Ptr ptr, const TensorHandle& local, std::int64_t row_stride);
  contract::Command& rows_of(contract::CommandKind kind, Ptr ptr, const Indices& rows, const TensorHandle& local);
  void check_loaded(const TensorHandle& out, Ptr ptr) const;
  void check_dense(const TensorHandle& value) const;
  void check_stored(Ptr ptr, const TensorHandle& value) const;
  void check_added(Ptr ptr, const TensorHandle& value) const;

  const Call& call_;
  Tensors& tensors_;
  Addressing& addressing_;
  Selection& selection_;
  contract::Command command_;
};

}  // namespace kb::tl
