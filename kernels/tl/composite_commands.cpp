#include "kernels/tl/composite_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/contract/composite_plan.h"

namespace kb::tl {

using contract::Command;
using contract::CommandKind;

std::string CompositeCommands::Target::text() const {
  return scratch_ != nullptr ? "in scratch" : fmt::format("in tensor '{}'", memory_.tensor().name);
}

void CompositeCommands::begin(CommandKind kind, const Target& out) {
  if (out.scratch() != nullptr) {
    tensors_.check_writable(*out.scratch(), 0);
  } else {
    addressing_.dtype_of(out.memory());
  }
  command_ = Command();
  command_.kind = kind;
}

Dispatch::Work CompositeCommands::gemm(const TensorHandle& a, const TensorHandle& b, const Target& out,
                                       const CompositeOptions& options) {
  begin(CommandKind::composite_gemm, out);
  add_input(a, 0);
  add_input(b, 1);
  set_tile_shape(options);
  for (const Epilogue& epilogue : options.epilogue) command_.epilogues.push_back(resolved(epilogue, 3));
  const OperandRef& left = command_.inputs[0];
  const std::int64_t depth = left.shape.size() == 2 ? (left.shape[1] - 1) / command_.tile_shape.k + 1 : 1;
  TensorType result = call_.located(
      [&] { return composite_gemm_result(left, command_.inputs[1], command_.epilogues, depth, out.dtype()); });
  command_.m = command_.inputs[0].shape[0];
  command_.k = command_.inputs[0].shape[1];
  command_.n = command_.inputs[1].shape[1];
  const Dtype met = *product_dtype(left.dtype, command_.inputs[1].dtype);
  command_.acc_dtype = options.acc_dtype.value_or(result.dtype == Dtype::i64 ? Dtype::i64 : default_acc_dtype(met));
  return completed(out, std::move(result));
}

Dispatch::Work CompositeCommands::math(MathOp op, const TensorHandle& x, const Target& out,
                                       const CompositeOptions& options) {
  begin(CommandKind::composite_math, out);
  if (math_arity(op) != 1 || !(is_elementwise(op) || op == MathOp::cast)) {
    call_.raise("KERNEL_ERROR",
                fmt::format("{} is not an element-wise operation of one input; run it as a command of its own",
                            math_op_name(op)));
  }
  command_.math_op = op;
  add_input(x, 0);
  tensors_.check_dense(x, 1, "; an element-wise composite reads its tiles as they are stored");
  TensorType result = call_.located([&] { return math_result(op, command_.inputs, std::nullopt); });
  if (op == MathOp::cast) result.dtype = out.dtype();
  if (result.dtype != out.dtype()) {
    call_.raise("DTYPE_ERROR", fmt::format("the result is {}, but {} it is {}", dtype_name(result.dtype), out.text(),
                                           dtype_name(out.dtype())));
  }
  command_.n = result.shape.back();
  command_.m = element_count(result.shape) / command_.n;
  set_tile_shape(options);
  if (!options.epilogue.empty())
    call_.raise("KERNEL_ERROR", "a composite of one element-wise operation takes no epilogue");
  return completed(out, std::move(result));
}

// Input `index` of a composite: data in memory, or a tensor in scratch, which is pinned (P-23, P-57).
void CompositeCommands::add_input(const TensorHandle& handle, int index) {
  const auto position = static_cast<std::size_t>(index);
  if (!handle.is_ref()) {
    command_.inputs.push_back(tensors_.operand(handle, index + 1));
    command_.pinned.at(position) = true;
    return;
  }
  tensors_.check_owner(handle, index + 1);
  Shape stored = handle.shape();
  if (handle.transposed()) std::swap(stored[stored.size() - 1], stored[stored.size() - 2]);
  const bool bytes = handle.dtype() == Dtype::i4;
  if (bytes) stored.back() /= 2;
  command_.strided.at(position) = handle.row_stride() != 0 && handle.row_stride() != stored.back();
  std::vector<Extent> extents;
  addressing_.append(handle.source(), stored, bytes ? Dtype::i8 : handle.dtype(), handle.row_stride(), extents);
  command_.inputs.push_back(
      OperandRef::tensor(std::move(extents), handle.shape(), handle.dtype(), handle.transposed()));
}

void CompositeCommands::set_tile_shape(const CompositeOptions& options) {
  const TileShape& tile = command_.tile_shape = options.tile_shape.value_or(pe_.tile_shape);
  if (std::min({tile.m, tile.k, tile.n}) >= 1) return;
  call_.raise("SHAPE_ERROR",
              fmt::format("a tile of {} x {} x {} is not possible; give sizes of at least 1", tile.m, tile.k, tile.n));
}

// The operand of an epilogue: a number, or a tensor in scratch.
kb::Epilogue CompositeCommands::resolved(const Epilogue& epilogue, int position) const {
  kb::Epilogue out{epilogue.op(), epilogue.scope(), std::nullopt};
  if (epilogue.tensor()) {
    out.operand = tensors_.operand(*epilogue.tensor(), position);
    tensors_.check_dense(*epilogue.tensor(), position, "; an epilogue reads its operand as it is stored");
  } else if (epilogue.number()) {
    out.operand = OperandRef::number(*epilogue.number(), Dtype::f32);
  }
  return out;
}

Dispatch::Work CompositeCommands::completed(const Target& out, TensorType&& result) {
  TensorHandle value;
  std::vector<Extent> extents;
  if (out.scratch() != nullptr) {
    value = *out.scratch();
    tensors_.check_target(value, 0, result);
    extents.push_back(Tensors::extent(value));
    command_.out_pinned = true;
  } else {
    addressing_.append(out.memory(), result.shape, result.dtype, 0, extents);
  }
  command_.out = OperandRef::tensor(std::move(extents), std::move(result.shape), result.dtype);
  if (const auto misfit =
          plan::misfit(call_.located([&] { return composite_plan(command_); }), command_.acc_dtype, pe_.tile_room)) {
    call_.raise(misfit->code, fmt::format("for the {} {} result {}: {}", dtype_name(result.dtype),
                                          format_shape(command_.out.shape), out.text(), misfit->text));
  }
  if (command_.kind == CommandKind::composite_gemm) check_apart(out);
  return {command_, std::move(value)};
}

// Tiles of the operands are read again after the first tiles of the product are written.
void CompositeCommands::check_apart(const Target& out) const {
  for (std::size_t i = 0; i < command_.inputs.size(); ++i) {
    for (const Extent& in : command_.inputs[i].extents) {
      for (const Extent& to : command_.out.extents) {
        if (to.pa >= in.pa + in.nbytes || in.pa >= to.pa + to.nbytes) continue;
        call_.raise("KERNEL_ERROR",
                    fmt::format("the result {} lies over operand {}, which is still read when the first "
                                "tiles are written; give it a tensor of its own",
                                out.text(), i + 1));
      }
    }
  }
}

}  // namespace kb::tl
