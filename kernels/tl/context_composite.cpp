#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/tl/context.h"
#include "platform/contract/composite_plan.h"

namespace kb::tl {

using contract::Command;
using contract::CommandKind;

// A place in memory, or a tensor in scratch.
class Context::CompositeTarget {
 public:
  explicit CompositeTarget(Ptr ptr) : memory_(ptr) {}
  explicit CompositeTarget(const TensorHandle& tensor) : scratch_(&tensor) {}

  const TensorHandle* scratch() const { return scratch_; }  // null: memory()
  Ptr memory() const { return memory_; }
  std::string text() const {
    return scratch_ != nullptr ? "in scratch" : fmt::format("in tensor '{}'", memory_.tensor().name);
  }

 private:
  Ptr memory_;
  const TensorHandle* scratch_ = nullptr;
};

// Input `index` of a composite: data in memory, or a tensor in scratch, which is pinned (P-23, P-57).
void Context::add_composite_input(Command& command, const TensorHandle& handle, int index) {
  const auto position = static_cast<std::size_t>(index);
  if (!handle.is_ref()) {
    command.inputs.push_back(operand(handle, index + 1));
    command.pinned.at(position) = true;
    return;
  }
  check_owner(handle, index + 1);
  Shape stored = handle.shape_;
  if (handle.transposed_) std::swap(stored[stored.size() - 1], stored[stored.size() - 2]);
  const bool bytes = handle.dtype_ == Dtype::i4;
  if (bytes) stored.back() /= 2;
  command.strided.at(position) = handle.row_stride_ != 0 && handle.row_stride_ != stored.back();
  std::vector<Extent> extents;
  append_extents(handle.source_, stored, bytes ? Dtype::i8 : handle.dtype_, handle.row_stride_, extents);
  command.inputs.push_back(OperandRef::tensor(std::move(extents), handle.shape_, handle.dtype_, handle.transposed_));
}

void Context::set_tile_shape(Command& command, const CompositeOptions& options) const {
  const TileShape& tile = command.tile_shape = options.tile_shape.value_or(pe_.info().tile_shape);
  if (std::min({tile.m, tile.k, tile.n}) >= 1) return;
  call_.raise("SHAPE_ERROR",
              fmt::format("a tile of {} x {} x {} is not possible; give sizes of at least 1", tile.m, tile.k, tile.n));
}

// The operand of an epilogue: a number, or a tensor in scratch.
kb::Epilogue Context::resolved(const Epilogue& epilogue, int position) const {
  kb::Epilogue out{epilogue.op(), epilogue.scope(), std::nullopt};
  if (epilogue.tensor()) {
    out.operand = operand(*epilogue.tensor(), position);
    if (out.operand->transposed) {
      call_.raise("KERNEL_ERROR", fmt::format("{} is a transposed view; an epilogue reads its operand as it is stored",
                                              describe(*epilogue.tensor(), position)));
    }
  } else if (epilogue.number()) {
    out.operand = OperandRef::number(*epilogue.number(), Dtype::f32);
  }
  return out;
}

Future Context::submit_composite(Command& command, const CompositeTarget& out, TensorType result) {
  TensorHandle value;
  std::vector<Extent> extents;
  if (out.scratch() != nullptr) {
    value = *out.scratch();
    check_target(value, 0, result);
    extents.push_back(extent(value));
    command.out_pinned = true;
  } else {
    append_extents(out.memory(), result.shape, result.dtype, 0, extents);
  }
  command.out = OperandRef::tensor(std::move(extents), std::move(result.shape), result.dtype);
  if (const auto misfit = plan::misfit(call_.located([&] { return composite_plan(command); }), command.acc_dtype,
                                       pe_.info().tile_room)) {
    call_.raise(misfit->code, fmt::format("for the {} {} result {}: {}", dtype_name(result.dtype),
                                          format_shape(command.out.shape), out.text(), misfit->text));
  }
  if (command.kind == CommandKind::composite_gemm) check_apart(command, out.text());
  return submit(command, std::move(value));
}

// Tiles of the operands are read again after the first tiles of the product are written.
void Context::check_apart(const Command& command, const std::string& out) const {
  for (std::size_t i = 0; i < command.inputs.size(); ++i) {
    for (const Extent& in : command.inputs[i].extents) {
      for (const Extent& to : command.out.extents) {
        if (to.pa >= in.pa + in.nbytes || in.pa >= to.pa + to.nbytes) continue;
        call_.raise("KERNEL_ERROR",
                    fmt::format("the result {} lies over operand {}, which is still read when the first "
                                "tiles are written; give it a tensor of its own",
                                out, i + 1));
      }
    }
  }
}

Future Context::composite(const TensorHandle& a, const TensorHandle& b, Ptr out, const CompositeOptions& options) {
  begin("composite", Cost::dispatched);
  pointer_dtype(out, std::nullopt);
  return composite_gemm(a, b, CompositeTarget(out), options);
}

Future Context::composite(const TensorHandle& a, const TensorHandle& b, const TensorHandle& out,
                          const CompositeOptions& options) {
  begin("composite", Cost::dispatched);
  check_writable(out, 0);
  return composite_gemm(a, b, CompositeTarget(out), options);
}

Future Context::composite(MathOp op, const TensorHandle& x, Ptr out, const CompositeOptions& options) {
  begin("composite", Cost::dispatched);
  pointer_dtype(out, std::nullopt);
  return composite_math(op, x, CompositeTarget(out), options);
}

Future Context::composite(MathOp op, const TensorHandle& x, const TensorHandle& out, const CompositeOptions& options) {
  begin("composite", Cost::dispatched);
  check_writable(out, 0);
  return composite_math(op, x, CompositeTarget(out), options);
}

Future Context::composite_gemm(const TensorHandle& a, const TensorHandle& b, const CompositeTarget& out,
                               const CompositeOptions& options) {
  Command command;
  command.kind = CommandKind::composite_gemm;
  add_composite_input(command, a, 0);
  add_composite_input(command, b, 1);
  set_tile_shape(command, options);
  for (const Epilogue& epilogue : options.epilogue) command.epilogues.push_back(resolved(epilogue, 3));
  const OperandRef& left = command.inputs[0];
  const std::int64_t depth = left.shape.size() == 2 ? cdiv(left.shape[1], command.tile_shape.k) : 1;
  const Dtype dtype = out.scratch() != nullptr ? out.scratch()->dtype() : out.memory().dtype();
  TensorType result =
      call_.located([&] { return composite_gemm_result(left, command.inputs[1], command.epilogues, depth, dtype); });
  command.m = command.inputs[0].shape[0];
  command.k = command.inputs[0].shape[1];
  command.n = command.inputs[1].shape[1];
  const Dtype met = *product_dtype(left.dtype, command.inputs[1].dtype);
  command.acc_dtype = options.acc_dtype.value_or(result.dtype == Dtype::i64 ? Dtype::i64 : default_acc_dtype(met));
  return submit_composite(command, out, std::move(result));
}

Future Context::composite_math(MathOp op, const TensorHandle& x, const CompositeTarget& out,
                               const CompositeOptions& options) {
  if (math_arity(op) != 1 || !(is_elementwise(op) || op == MathOp::cast)) {
    call_.raise("KERNEL_ERROR",
                fmt::format("{} is not an element-wise operation of one input; run it as a command of its own",
                            math_op_name(op)));
  }
  Command command;
  command.kind = CommandKind::composite_math;
  command.math_op = op;
  add_composite_input(command, x, 0);
  if (command.inputs[0].transposed) {
    call_.raise("KERNEL_ERROR",
                fmt::format("{} is a transposed view; an element-wise composite reads its tiles as they are "
                            "stored",
                            describe(x, 1)));
  }
  TensorType result = call_.located([&] { return math_result(op, command.inputs, std::nullopt); });
  const Dtype out_dtype = out.scratch() != nullptr ? out.scratch()->dtype() : out.memory().dtype();
  if (op == MathOp::cast) result.dtype = out_dtype;
  if (result.dtype != out_dtype) {
    call_.raise("DTYPE_ERROR", fmt::format("the result is {}, but {} it is {}", dtype_name(result.dtype), out.text(),
                                           dtype_name(out_dtype)));
  }
  command.n = result.shape.back();
  command.m = element_count(result.shape) / command.n;
  set_tile_shape(command, options);
  if (!options.epilogue.empty())
    call_.raise("KERNEL_ERROR", "a composite of one element-wise operation takes no epilogue");
  return submit_composite(command, out, std::move(result));
}

}  // namespace kb::tl
