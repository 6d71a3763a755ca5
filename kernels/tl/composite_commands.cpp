#include "kernels/tl/composite_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/contract/composite_plan.h"
#include "platform/contract/tensor_layout.h"
#include "platform/engine/built_in_engines.h"

namespace kb::tl {

using contract::Command;
using contract::CommandKind;

std::string CompositeCommands::Target::text() const {
  return scratch_ != nullptr ? "in scratch" : fmt::format("in tensor '{}'", memory_.tensor().name);
}

void CompositeCommands::begin(const engine::CommandRef& called, const Target& out) {
  if (out.scratch() != nullptr) {
    tensors_.check_writable(*out.scratch(), 0);
  } else {
    addressing_.dtype_of(out.memory());
  }
  command_ = Command();
  command_.kind = CommandKind::composite;
  command_.use(called);
}

Dispatch::Work CompositeCommands::gemm(const TensorHandle& a, const TensorHandle& b, const Target& out,
                                       const CompositeOptions& options) {
  begin(engine::product_command(), out);
  add_input(a, 0);
  add_input(b, 1);
  set_tile_shape(options);
  set_epilogues(options);
  command_.reuse_a = options.reuse_a.value_or(pe_.reuse_a);
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
  begin(engine::math_command(op), out);
  if (math_arity(op) != 1 || !(is_elementwise(op) || op == MathOp::cast)) {
    call_.raise("KERNEL_ERROR",
                fmt::format("{} is not an element-wise operation of one input; run it as a command of its own",
                            math_op_name(op)));
  }
  command_.math_op = op;
  add_input(x, 0);
  tensors_.check_dense(x, 1, "; an element-wise composite reads its tiles as they are stored");
  set_epilogues(options);
  TensorType result = math_result_of(op, out);
  if (result.dtype != out.dtype()) {
    call_.raise("DTYPE_ERROR", fmt::format("the result is {}, but {} it is {}", dtype_name(result.dtype), out.text(),
                                           dtype_name(out.dtype())));
  }
  command_.n = result.shape.back();
  command_.m = element_count(result.shape) / command_.n;
  set_tile_shape(options);
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
  command_.operand_places.at(position) = call_.place(&handle.source().tensor());
  std::vector<Extent> extents;
  command_.strided.at(position) = append_extents(handle, extents);
  command_.inputs.push_back(
      OperandRef::tensor(std::move(extents), handle.shape(), handle.dtype(), handle.transposed()));
}

bool CompositeCommands::append_extents(const TensorHandle& handle, std::vector<Extent>& extents) {
  Shape stored = handle.shape();
  if (handle.transposed()) std::swap(stored[stored.size() - 1], stored[stored.size() - 2]);
  const bool bytes = handle.dtype() == Dtype::i4;
  if (bytes) stored.back() /= 2;
  addressing_.append(handle.source(), stored, bytes ? Dtype::i8 : handle.dtype(), handle.row_stride(), extents);
  return handle.row_stride() != 0 && handle.row_stride() != stored.back();
}

void CompositeCommands::set_tile_shape(const CompositeOptions& options) {
  const TileShape& tile = command_.tile_shape = options.tile_shape.value_or(pe_.tile_shape);
  if (std::min({tile.m, tile.k, tile.n}) >= 1) return;
  call_.raise("SHAPE_ERROR",
              fmt::format("a tile of {} x {} x {} is not possible; give sizes of at least 1", tile.m, tile.k, tile.n));
}

void CompositeCommands::set_epilogues(const CompositeOptions& options) {
  for (const Epilogue& epilogue : options.epilogue) {
    command_.epilogue_places.emplace_back();
    command_.epilogues.push_back(resolved(epilogue));
  }
}

// Resolves operands that are numbers, tensors in scratch, or data in memory.
kb::Epilogue CompositeCommands::resolved(const Epilogue& epilogue) {
  kb::Epilogue out;
  out.op = epilogue.op();
  out.scope = epilogue.scope();
  out.math = epilogue.math_op();
  out.place = epilogue.place();
  const auto position = static_cast<int>(command_.inputs.size() + command_.epilogues.size() + 1);
  for (std::size_t i = 0; i < epilogue.inputs().size(); ++i) {
    const Epilogue::Input& input = epilogue.inputs()[i];
    std::optional<OperandRef>& operand = out.input(i);
    if (!input.tensor) {
      operand = OperandRef::number(*input.number, Dtype::f32);
      continue;
    }
    const TensorHandle& tensor = *input.tensor;
    if (tensor.is_ref()) {
      tensors_.check_owner(tensor, position);
      command_.epilogue_places.back().at(i) = call_.place(&tensor.source().tensor());
      std::vector<Extent> extents;
      out.strided.at(i) = append_extents(tensor, extents);
      out.in_memory.at(i) = true;
      operand = OperandRef::tensor(std::move(extents), tensor.shape(), tensor.dtype(), tensor.transposed());
    } else {
      operand = tensors_.operand(tensor, position);
      tensors_.check_dense(tensor, position, "; an epilogue reads its operand as it is stored");
    }
  }
  return out;
}

// Also converts operands with the shape of the result, of any number of dimensions, to rows.
TensorType CompositeCommands::math_result_of(MathOp op, const Target& out) {
  if (command_.epilogues.empty()) {
    return call_.located([&] { return composite_math_result(op, command_.inputs[0], {}, out.dtype()); });
  }
  const Shape shape = command_.inputs[0].shape;
  for_each_operand(command_.epilogues, [&](OperandRef& operand) {
    if (operand.shape == shape && shape.size() > 2 && !operand.transposed) operand.shape = as_rows(shape);
  });
  command_.acc_dtype = composite_math_dtype(op, command_.inputs[0].dtype, out.dtype());
  return call_.located([&] { return composite_math_result(op, command_.inputs[0], command_.epilogues, out.dtype()); });
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
    command_.operand_places[2] = call_.place(&out.memory().tensor());
    addressing_.append(out.memory(), result.shape, result.dtype, 0, extents);
  }
  command_.out = OperandRef::tensor(std::move(extents), std::move(result.shape), result.dtype);
  if (const auto misfit = plan::misfit(call_.located([&] { return composite_plan(command_, pe_.tile_capacity); }),
                                       command_.acc_dtype, pe_.tile_capacity)) {
    call_.raise(misfit->code, fmt::format("for the {} {} result {}: {}", dtype_name(result.dtype),
                                          format_shape(command_.out.shape), out.text(), misfit->text));
  }
  check_apart(out);
  return {command_, std::move(value)};
}

// The output must not overlap data that is read after the first tiles of the product are written: A and B, and operands
// of epilogues, unless each of their elements is read for the output element at its own place. The input of an
// element-wise composite is such an operand.
void CompositeCommands::check_apart(const Target& out) const {
  const auto check = [&](const OperandRef& operand, const std::string& what) {
    for (const Extent& in : operand.extents) {
      for (const Extent& to : command_.out.extents) {
        if (to.pa >= in.pa + in.nbytes || in.pa >= to.pa + to.nbytes) continue;
        call_.raise("KERNEL_ERROR",
                    fmt::format("the result {} lies over {}, which is still read when the first tiles are written; "
                                "give it a tensor of its own",
                                out.text(), what));
      }
    }
  };
  if (contract::form_of(command_) == engine::CommandForm::product) {
    for (std::size_t i = 0; i < command_.inputs.size(); ++i) {
      check(command_.inputs[i], fmt::format("operand {}", i + 1));
    }
  }
  for (const kb::Epilogue& epilogue : command_.epilogues) {
    for (std::size_t i = 0; i < kEpilogueInputs; ++i) {
      const std::optional<OperandRef>& operand = epilogue.input(i);
      if (!operand || operand->immediate) continue;
      const bool in_place = operand->extents == command_.out.extents && !operand->transposed &&
                            epilogue.scope == EpilogueScope::output_tile;
      if (!in_place) check(*operand, fmt::format("the operand of epilogue {}", epilogue_name(epilogue)));
    }
  }
}

}  // namespace kb::tl
