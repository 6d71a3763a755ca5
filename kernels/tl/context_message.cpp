#include <fmt/format.h>

#include <utility>

#include "kernels/tl/context.h"

namespace kb::tl {

using contract::Command;
using contract::CommandKind;

Command Context::message(CommandKind kind, std::string_view direction) {
  if (direction.empty())
    call_.raise("QUEUE_ERROR", "a direction is a label like \"E\"; recv_any() takes from all of them");
  Command command;
  command.kind = kind;
  command.direction = direction;
  return command;
}

void Context::send(std::string_view direction, const TensorHandle& value) {
  begin("send", Cost::dispatched);
  check(value, 1);
  if (value.transposed_) {
    call_.raise("KERNEL_ERROR", fmt::format("{} is a transposed view; tl.cast(x, x.dtype()) makes a dense copy to send",
                                            describe(value, 1)));
  }
  Command command = message(CommandKind::ipcq_send, direction);
  command.local.push_back(extent(value));
  emit(command);
}

void Context::send(std::string_view direction, Ptr ptr, Shape shape, std::int64_t row_stride) {
  begin("send", Cost::dispatched);
  Command command = message(CommandKind::ipcq_send, direction);
  append_extents(ptr, shape, pointer_dtype(ptr, std::nullopt), row_stride, command.local);
  emit(command);
}

TensorHandle Context::message_value(Shape shape, Dtype dtype) {
  const std::optional<std::uint64_t> address = messages_.allocate(call_.checked_bytes(shape, dtype));
  if (!address) {
    call_.raise("OUT_OF_SCRATCH",
                "too many received messages are alive; receive inside a tl::Scratch scope, which ends them");
  }
  return new_handle(*address, std::move(shape), dtype);
}

TensorHandle Context::receive(const char* call, std::string_view direction, Shape shape, Dtype dtype,
                              bool charge_slot) {
  begin(call, Cost::dispatched);
  Command command = message(CommandKind::ipcq_recv, direction);
  command.charge_slot = charge_slot;
  TensorHandle value = message_value(std::move(shape), dtype);
  command.local.push_back(extent(value));
  emit(command);
  return value;
}

TensorHandle Context::recv(std::string_view direction, Shape shape, Dtype dtype) {
  return receive("recv", direction, std::move(shape), dtype, true);
}

TensorHandle Context::recv_no_consume(std::string_view direction, Shape shape, Dtype dtype) {
  return receive("recv_no_consume", direction, std::move(shape), dtype, false);
}

Message Context::recv_any(Shape shape, Dtype dtype) {
  begin("recv_any", Cost::dispatched);
  Command command;
  command.kind = CommandKind::ipcq_recv;
  call_.label(command);
  Message message{message_value(std::move(shape), dtype), {}};
  command.local.push_back(extent(message.value));
  call_.located([&] { message.direction = pe_.receive(command); });
  return message;
}

void Context::recv_into(std::string_view direction, const TensorHandle& out) {
  begin("recv_into", Cost::dispatched);
  check_writable(out, 1);
  Command command = message(CommandKind::ipcq_recv, direction);
  command.local.push_back(extent(out));
  emit(command);
}

void Context::recv_into(std::string_view direction, Ptr ptr, Shape shape, std::int64_t row_stride) {
  begin("recv_into", Cost::dispatched);
  Command command = message(CommandKind::ipcq_recv, direction);
  append_extents(ptr, shape, pointer_dtype(ptr, std::nullopt), row_stride, command.local);
  emit(command);
}

Future Context::recv_async(std::string_view direction, Shape shape, Dtype dtype) {
  begin("recv_async", Cost::dispatched);
  Command command = message(CommandKind::ipcq_recv, direction);
  TensorHandle value = message_value(std::move(shape), dtype);
  command.local.push_back(extent(value));
  return submit(command, std::move(value));
}

Future Context::recv_async(std::string_view direction, Ptr ptr, Shape shape) {
  TensorHandle value = ref(ptr, shape);
  begin("recv_async", Cost::dispatched);
  Command command = message(CommandKind::ipcq_recv, direction);
  append_extents(ptr, shape, ptr.dtype(), 0, command.local);
  return submit(command, std::move(value));
}

void Context::check_writable(const TensorHandle& out, int position) const {
  check(out, position);
  if (out.dtype_ == Dtype::i4) {
    call_.raise("DTYPE_ERROR", fmt::format("{} is how products see an i8 tensor and cannot be written; write that one, "
                                           "tl.pack_int4(x) makes its bytes",
                                           describe(out, position)));
  }
  const std::uint64_t base = pe_.info().message_base;
  if (out.pa_ < base || out.pa_ - base >= pe_.info().message_bytes) return;
  call_.raise("KERNEL_ERROR", fmt::format("{} is a received message and cannot be written; write the result to scratch "
                                          "instead, e.g. x = received + y",
                                          describe(out, position)));
}

}  // namespace kb::tl
