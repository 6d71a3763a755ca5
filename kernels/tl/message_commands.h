// Creates the commands that send and receive messages.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/tl/addressing.h"
#include "kernels/tl/call.h"
#include "kernels/tl/dispatch.h"
#include "kernels/tl/tensors.h"
#include "platform/contract/command.h"

namespace kb::tl {

// Creates the commands of messages between a neighbouring PE and a tensor in scratch, a place in memory, or a new
// tensor for the message.
class MessageCommands {
 public:
  MessageCommands(const Call& call, Tensors& tensors, Addressing& addressing)
      : call_(call), tensors_(tensors), addressing_(addressing) {}

  contract::Command& send(std::string_view direction, const TensorHandle& value);
  contract::Command& send(std::string_view direction, Ptr ptr, const Shape& shape, std::int64_t row_stride);
  Dispatch::Work receive(std::string_view direction, Shape&& shape, Dtype dtype, bool charge_slot = true);
  Dispatch::Work receive_any(Shape&& shape, Dtype dtype);
  contract::Command& receive_into(std::string_view direction, const TensorHandle& out);
  contract::Command& receive_into(std::string_view direction, Ptr ptr, const Shape& shape, std::int64_t row_stride);

 private:
  void begin(contract::CommandKind kind);
  void begin(contract::CommandKind kind, std::string_view direction);
  Dispatch::Work receive_own(Shape&& shape, Dtype dtype);
  contract::Command& in_memory(Ptr ptr, const Shape& shape, std::int64_t row_stride);

  const Call& call_;
  Tensors& tensors_;
  Addressing& addressing_;
  contract::Command command_;
};

}  // namespace kb::tl
