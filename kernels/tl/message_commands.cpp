#include "kernels/tl/message_commands.h"

#include <utility>

namespace kb::tl {

using contract::Command;
using contract::CommandKind;

void MessageCommands::begin(CommandKind kind) {
  command_.kind = kind;
  command_.local.clear();
  command_.direction.clear();
  command_.charge_slot = true;
}

void MessageCommands::begin(CommandKind kind, std::string_view direction) {
  if (direction.empty()) {
    call_.raise("QUEUE_ERROR", "a direction is a label like \"E\"; recv_any() takes from all of them");
  }
  begin(kind);
  command_.direction = direction;
}

Command& MessageCommands::in_memory(Ptr ptr, const Shape& shape, std::int64_t row_stride) {
  addressing_.append(ptr, shape, addressing_.dtype_of(ptr), row_stride, command_.local);
  return command_;
}

Command& MessageCommands::send(std::string_view direction, const TensorHandle& value) {
  tensors_.check(value, 1);
  tensors_.check_dense(value, 1, "; tl.cast(x, x.dtype()) makes a dense copy to send");
  begin(CommandKind::ipcq_send, direction);
  command_.local.push_back(Tensors::extent(value));
  return command_;
}

Command& MessageCommands::send(std::string_view direction, Ptr ptr, const Shape& shape, std::int64_t row_stride) {
  begin(CommandKind::ipcq_send, direction);
  return in_memory(ptr, shape, row_stride);
}

Dispatch::Work MessageCommands::receive_own(Shape&& shape, Dtype dtype) {
  TensorHandle value = tensors_.receive(std::move(shape), dtype);
  command_.local.push_back(Tensors::extent(value));
  return {command_, std::move(value)};
}

Dispatch::Work MessageCommands::receive(std::string_view direction, Shape&& shape, Dtype dtype, bool charge_slot) {
  begin(CommandKind::ipcq_recv, direction);
  command_.charge_slot = charge_slot;
  return receive_own(std::move(shape), dtype);
}

Dispatch::Work MessageCommands::receive_any(Shape&& shape, Dtype dtype) {
  begin(CommandKind::ipcq_recv);
  return receive_own(std::move(shape), dtype);
}

Command& MessageCommands::receive_into(std::string_view direction, const TensorHandle& out) {
  tensors_.check_writable(out, 1);
  begin(CommandKind::ipcq_recv, direction);
  command_.local.push_back(Tensors::extent(out));
  return command_;
}

Command& MessageCommands::receive_into(std::string_view direction, Ptr ptr, const Shape& shape,
                                       std::int64_t row_stride) {
  begin(CommandKind::ipcq_recv, direction);
  return in_memory(ptr, shape, row_stride);
}

}  // namespace kb::tl
