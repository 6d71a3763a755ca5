// Creates the commands that PE_SCHEDULER splits into tiles.
#pragma once

#include <string>

#include "kernels/tl/addressing.h"
#include "kernels/tl/call.h"
#include "kernels/tl/composite.h"
#include "kernels/tl/dispatch.h"
#include "kernels/tl/tensors.h"
#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"

namespace kb::tl {

// Creates composites: checks their operands, and that their tiles fit the PE.
class CompositeCommands {
 public:
  // Destination of the result: a place in memory, or a tensor in scratch.
  class Target {
   public:
    Target(Ptr ptr) : memory_(ptr) {}
    Target(const TensorHandle& tensor) : scratch_(&tensor) {}

    const TensorHandle* scratch() const { return scratch_; }  // null: the destination is memory()
    Ptr memory() const { return memory_; }
    Dtype dtype() const { return scratch_ != nullptr ? scratch_->dtype() : memory_.dtype(); }
    std::string text() const;

   private:
    Ptr memory_;
    const TensorHandle* scratch_ = nullptr;
  };

  CompositeCommands(const contract::PeInfo& pe, const Call& call, const Tensors& tensors, Addressing& addressing)
      : pe_(pe), call_(call), tensors_(tensors), addressing_(addressing) {}

  Dispatch::Work gemm(const TensorHandle& a, const TensorHandle& b, const Target& out, const CompositeOptions& options);
  Dispatch::Work math(MathOp op, const TensorHandle& x, const Target& out, const CompositeOptions& options);

 private:
  void begin(const engine::CommandRef& called, const Target& out);
  void add_input(const TensorHandle& handle, int index);
  // Appends the extents of a ref; returns true when it has rows of a wider matrix.
  bool append_extents(const TensorHandle& handle, std::vector<Extent>& extents);
  void set_tile_shape(const CompositeOptions& options);
  void set_epilogues(const CompositeOptions& options);
  kb::Epilogue resolved(const Epilogue& epilogue);
  TensorType math_result_of(MathOp op, const Target& out);
  Dispatch::Work completed(const Target& out, TensorType&& result);
  void check_apart(const Target& out) const;

  const contract::PeInfo& pe_;
  const Call& call_;
  const Tensors& tensors_;
  Addressing& addressing_;
  contract::Command command_;
};

}  // namespace kb::tl
