// Messages between PEs and barriers of a running kernel.
#include <utility>

#include "kernels/tl/context.h"
#include "kernels/tl/context_parts.h"
#include "platform/contract/command.h"

namespace kb::tl {

void Context::send(std::string_view direction, const TensorHandle& value, SourceLine at) {
  parts_->dispatch.begin("send", at).execute(parts_->messages.send(direction, value));
}

void Context::send(std::string_view direction, Ptr ptr, Shape shape, std::int64_t row_stride, SourceLine at) {
  parts_->dispatch.begin("send", at).execute(parts_->messages.send(direction, ptr, shape, row_stride));
}

TensorHandle Context::recv(std::string_view direction, Shape shape, Dtype dtype, SourceLine at) {
  return parts_->dispatch.begin("recv", at).execute(parts_->messages.receive(direction, std::move(shape), dtype));
}

Message Context::recv_any(Shape shape, Dtype dtype, SourceLine at) {
  parts_->dispatch.begin("recv_any", at);
  Dispatch::Work work = parts_->messages.receive_any(std::move(shape), dtype);
  std::string direction = parts_->dispatch.receive(work.command);
  return {std::move(work.result), std::move(direction)};
}

void Context::recv_into(std::string_view direction, const TensorHandle& out, SourceLine at) {
  parts_->dispatch.begin("recv_into", at).execute(parts_->messages.receive_into(direction, out));
}

void Context::recv_into(std::string_view direction, Ptr ptr, Shape shape, std::int64_t row_stride, SourceLine at) {
  parts_->dispatch.begin("recv_into", at).execute(parts_->messages.receive_into(direction, ptr, shape, row_stride));
}

TensorHandle Context::recv_no_consume(std::string_view direction, Shape shape, Dtype dtype, SourceLine at) {
  return parts_->dispatch.begin("recv_no_consume", at)
      .execute(parts_->messages.receive(direction, std::move(shape), dtype, false));
}

Future Context::recv_async(std::string_view direction, Shape shape, Dtype dtype, SourceLine at) {
  return parts_->dispatch.begin("recv_async", at).submit(parts_->messages.receive(direction, std::move(shape), dtype));
}

Future Context::recv_async(std::string_view direction, Ptr ptr, Shape shape, SourceLine at) {
  TensorHandle value = ref(ptr, shape);
  return parts_->dispatch.begin("recv_async", at)
      .submit(parts_->messages.receive_into(direction, ptr, shape, 0), std::move(value));
}

void Context::barrier(BarrierScope scope, SourceLine at) {
  parts_->dispatch.begin("barrier", at);
  contract::Command command;
  command.kind = contract::CommandKind::barrier;
  command.scope = scope;
  parts_->dispatch.execute(command);
}

}  // namespace kb::tl
