#include "kernels/tl/dma_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/contract/tensor_layout.h"

namespace kb::tl {

using contract::Command;
using contract::CommandKind;

void DmaCommands::begin(CommandKind kind, Ptr ptr) {
  command_.kind = kind;
  command_.place = call_.place(&ptr.tensor());
  command_.memory.clear();
  command_.local.clear();
  command_.added.reset();
  command_.prefetch = command_.assumed = false;
  command_.reachable.clear();
}

// A transfer between a tile of the tensor and `local`.
Command& DmaCommands::tile(CommandKind kind, Ptr ptr, const TensorHandle& local, std::int64_t row_stride) {
  begin(kind, ptr);
  addressing_.append(ptr, local.shape(), local.dtype(), row_stride, command_.memory);
  command_.local.push_back(Tensors::extent(local));
  return command_;
}

// A transfer between rows of the tensor and `local`.
Command& DmaCommands::rows_of(CommandKind kind, Ptr ptr, const Indices& rows, const TensorHandle& local) {
  begin(kind, ptr);
  selection_.append_rows(ptr, rows, selection_.row_elements_of(rows, local), command_);
  command_.local.push_back(Tensors::extent(local));
  return command_;
}

void DmaCommands::check_loaded(const TensorHandle& out, Ptr ptr) const {
  tensors_.check_writable(out, 1);
  const Dtype type = addressing_.dtype_of(ptr);
  if (out.dtype() != type) {
    call_.raise("DTYPE_ERROR",
                fmt::format("{} cannot take data of tensor '{}', which is {}; give a tensor of that dtype",
                            tensors_.describe(out, 1), ptr.tensor().name, dtype_name(type)));
  }
  tensors_.check_dense(out, 1, " and cannot be written");
}

std::optional<Dtype> DmaCommands::cast_before_store(Ptr ptr, const TensorHandle& value) const {
  tensors_.check(value, 1);
  const Dtype type = addressing_.dtype_of(ptr);
  if (value.dtype() == type || value.dtype() == Dtype::i4 || is_float(value.dtype()) != is_float(type)) {
    return std::nullopt;
  }
  check_dense(value);
  return type;
}

void DmaCommands::check_dense(const TensorHandle& value) const {
  tensors_.check_dense(value, 1, "; tl.cast(x, x.dtype()) makes a dense copy to store");
}

void DmaCommands::check_stored(Ptr ptr, const TensorHandle& value) const {
  tensors_.check(value, 1);
  const Dtype type = addressing_.dtype_of(ptr);
  if (value.dtype() != type) {
    call_.raise("DTYPE_ERROR",
                fmt::format("{} cannot be stored to tensor '{}', which is {}; {}", tensors_.describe(value, 1),
                            ptr.tensor().name, dtype_name(type),
                            value.dtype() == Dtype::i4 ? "store the i8 tensor that holds it" : "tl.cast it first"));
  }
  check_dense(value);
}

void DmaCommands::check_added(Ptr ptr, const TensorHandle& value) const {
  check_stored(ptr, value);
  if (!is_storage(value.dtype())) return;
  call_.raise("DTYPE_ERROR",
              fmt::format("tensor '{}' is {}, which is for storage; memory adds f16, bf16, f32 and integers",
                          ptr.tensor().name, dtype_name(value.dtype())));
}

Dispatch::Work DmaCommands::load(Ptr ptr, Shape&& shape, std::optional<Dtype> dtype, std::int64_t row_stride) {
  const Dtype type = addressing_.dtype_of(ptr, dtype);
  begin(CommandKind::dma_read, ptr);
  addressing_.append(ptr, shape, type, row_stride, command_.memory);
  TensorHandle handle = tensors_.allocate(std::move(shape), type);
  command_.local.push_back(Tensors::extent(handle));
  return {command_, std::move(handle)};
}

Command& DmaCommands::load_into(const TensorHandle& out, Ptr ptr, std::int64_t row_stride) {
  check_loaded(out, ptr);
  return tile(CommandKind::dma_read, ptr, out, row_stride);
}

Command& DmaCommands::store(Ptr ptr, const TensorHandle& value, std::int64_t row_stride) {
  check_stored(ptr, value);
  return tile(CommandKind::dma_write, ptr, value, row_stride);
}

Command& DmaCommands::add(Ptr ptr, const TensorHandle& value) {
  check_added(ptr, value);
  Command& command = tile(CommandKind::dma_write, ptr, value, 0);
  command.added = value.dtype();
  return command;
}

Dispatch::Work DmaCommands::gather(Ptr ptr, const Indices& rows, std::int64_t row_elements) {
  const Dtype dtype = addressing_.dtype_of(ptr);
  Shape shape = selection_.shape_of(rows);
  if (row_elements != 1) shape.push_back(row_elements);
  call_.checked_bytes(shape, dtype);
  begin(CommandKind::dma_read, ptr);
  selection_.append_rows(ptr, rows, row_elements, command_);
  TensorHandle handle = tensors_.allocate(std::move(shape), dtype);
  command_.local.push_back(Tensors::extent(handle));
  return {command_, std::move(handle)};
}

Command& DmaCommands::gather_into(const TensorHandle& out, Ptr ptr, const Indices& rows) {
  check_loaded(out, ptr);
  return rows_of(CommandKind::dma_read, ptr, rows, out);
}

Command& DmaCommands::scatter(Ptr ptr, const Indices& rows, const TensorHandle& value) {
  check_stored(ptr, value);
  return rows_of(CommandKind::dma_write, ptr, rows, value);
}

Command& DmaCommands::add(Ptr ptr, const Indices& rows, const TensorHandle& value) {
  check_added(ptr, value);
  Command& command = rows_of(CommandKind::dma_write, ptr, rows, value);
  command.added = value.dtype();
  return command;
}

Dispatch::Work DmaCommands::load(Ptr ptr, Shape&& shape, const Mask& mask, Scalar other) {
  const Dtype dtype = addressing_.dtype_of(ptr);
  call_.checked_bytes(shape, dtype);
  const std::uint64_t element = call_.located([&] { return encode_element(dtype, other); });
  const Selection::Elements elements = selection_.elements_of(ptr, mask, shape);
  TensorHandle handle = tensors_.allocate(std::move(shape), dtype);
  begin(CommandKind::dma_read, ptr);
  selection_.append_masked(ptr, handle, elements, command_);
  const std::vector<bool>& taken = elements.takes_part;
  if (std::find(taken.begin(), taken.end(), false) != taken.end()) tensors_.fill(handle, element);
  return {command_, std::move(handle)};
}

Command& DmaCommands::store(Ptr ptr, const TensorHandle& value, const Mask& mask) {
  check_stored(ptr, value);
  const Selection::Elements elements = selection_.elements_of(ptr, mask, value.shape());
  begin(CommandKind::dma_write, ptr);
  selection_.append_masked(ptr, value, elements, command_);
  return command_;
}

}  // namespace kb::tl
