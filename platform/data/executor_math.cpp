#include <fmt/format.h>

#include <cmath>

#include "platform/base/error.h"
#include "platform/data/element.h"
#include "platform/data/executor.h"
#include "platform/data/integer_range.h"
#include "platform/data/math_kernels.h"

namespace kb::data {
namespace {

template <typename Wide>
Wide wide_number(const OperandRef& operand) {
  if constexpr (std::is_same_v<Wide, double>) {
    return std::visit([](auto v) { return static_cast<double>(v); }, *operand.immediate);
  } else {
    const std::uint64_t bits = encode_element(operand.dtype, *operand.immediate);
    Wide value;
    widen(operand.dtype, reinterpret_cast<const std::byte*>(&bits), 1, &value);  // little-endian host
    return value;
  }
}

// Element (i0, i1, ..) of the result reads from[sum(i * stride)]; broadcast dimensions have stride 0.
template <typename Wide>
void expand(const OperandRef& operand, const Shape& shape, const std::vector<Wide>& from, std::vector<Wide>& to) {
  const std::size_t rank = shape.size();
  const std::size_t own = operand.shape.size();
  Shape stored = operand.shape;
  if (operand.transposed && own >= 2) std::swap(stored[own - 1], stored[own - 2]);
  Shape stride(own, 1);
  for (std::size_t i = own; i-- > 1;) stride[i - 1] = stride[i] * stored[i];
  if (operand.transposed && own >= 2) std::swap(stride[own - 1], stride[own - 2]);
  Shape step(rank, 0);
  for (std::size_t i = 0; i < own; ++i) {
    if (operand.shape[i] != 1) step[rank - own + i] = stride[i];
  }
  to.resize(static_cast<std::size_t>(element_count(shape)));
  if (to.empty()) return;
  Shape index(rank, 0);
  const std::int64_t inner = rank == 0 ? 1 : shape[rank - 1];
  const std::int64_t inner_step = rank == 0 ? 0 : step[rank - 1];
  std::int64_t base = 0;
  for (Wide* out = to.data(); out != to.data() + to.size(); out += inner) {
    for (std::int64_t i = 0; i < inner; ++i) out[i] = from[static_cast<std::size_t>(base + i * inner_step)];
    for (std::size_t d = rank - (rank > 0 ? 1 : 0); d-- > 0;) {
      base += step[d];
      if (++index[d] < shape[d]) break;
      base -= step[d] * shape[d];
      index[d] = 0;
    }
  }
}

}  // namespace

template <typename Wide>
void Executor::load(const OperandRef& operand, const Shape& shape, std::vector<Wide>& out) {
  if (operand.immediate) {
    out.assign(static_cast<std::size_t>(element_count(shape)), wide_number<Wide>(operand));
    return;
  }
  check_extents(operand);
  memory_.gather(operand.extents, bytes_);
  const auto count = static_cast<std::size_t>(element_count(operand.shape));
  std::vector<Wide> stored;
  if constexpr (std::is_same_v<Wide, double>) {
    stored = to_doubles(operand.dtype, bytes_.data(), count);
  } else {
    stored.resize(count);
    widen(operand.dtype, bytes_.data(), count, stored.data());
  }
  if (operand.shape == shape && !operand.transposed) {
    out = std::move(stored);
  } else {
    expand(operand, shape, stored, out);
  }
}

template void Executor::load(const OperandRef&, const Shape&, std::vector<float>&);
template void Executor::load(const OperandRef&, const Shape&, std::vector<std::int64_t>&);

template <typename Wide>
void Executor::store(const OperandRef& out, const std::vector<Wide>& values) {
  check_extents(out);
  bytes_.resize(values.size() * item_size(out.dtype));
  narrow(out.dtype, values.data(), values.size(), bytes_.data());
  memory_.scatter(out.extents, bytes_.data());
}
template void Executor::store(const OperandRef&, const std::vector<float>&);
template void Executor::store(const OperandRef&, const std::vector<std::int64_t>&);

void Executor::store_fitting(std::string_view what, const OperandRef& out, const std::vector<std::int64_t>& values,
                             std::string_view remedy) {
  require_fit(what, out.dtype, out.shape, values, remedy);
  store(out, values);
}

template <typename Wide>
void Executor::run_math(const MathOpRecord& op, const Shape& full) {
  std::vector<Wide> result;
  if (op.op == MathOp::where) {
    const std::vector<bool> condition = [&] {
      const auto truth = [&](auto values) {
        load(op.inputs[0], full, values);
        std::vector<bool> out(values.size());
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[i] != 0;
        return out;
      };
      return is_float(op.inputs[0].dtype) ? truth(std::vector<float>()) : truth(std::vector<std::int64_t>());
    }();
    std::vector<Wide> other;
    load(op.inputs[1], full, result);
    load(op.inputs[2], full, other);
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (!condition[i]) result[i] = other[i];
    }
  } else {
    std::vector<Wide> in[3];
    for (std::size_t i = 0; i < op.inputs.size(); ++i) load(op.inputs[i], full, in[i]);
    const MathForm form = math_form(op.op);
    if (form == MathForm::comparison) {
      std::vector<std::int64_t> truth;
      compare(op.op, in[0], in[1], truth);
      return store(op.out, truth);
    }
    if (form == MathForm::reduction || form == MathForm::along_axis) {
      const AxisView view = axis_view(full, form == MathForm::along_axis ? op.axis.value_or(-1) : op.axis);
      if constexpr (std::is_same_v<Wide, float>) {
        along_axis(op.op, view, in[0], result);
      } else {
        along_axis(op.op, view, in[0], result, op.out);
        return store_fitting(math_op_name(op.op), op.out, result, kWiderResult);
      }
    } else if constexpr (std::is_same_v<Wide, float>) {
      elementwise(op.op, in[0], in[1], in[2], result, op.out.dtype);
    } else {
      elementwise(op.op, in[0], in[1], in[2], result, static_cast<int>(item_size(op.out.dtype)) * 8);
    }
  }
  store(op.out, result);
}

void Executor::run_cast(const MathOpRecord& op) {
  const OperandRef& in = op.inputs[0];
  if (!is_float(in.dtype)) {
    std::vector<std::int64_t> values;
    load(in, op.out.shape, values);
    if (op.must_fit) {
      require_fit("cast", op.out.dtype, op.out.shape, values,
                  fmt::format("tl.cast(x, Dtype::{}) before keeps the low bits, a tensor of {} holds all",
                              dtype_name(op.out.dtype), dtype_name(in.dtype)));
    }
    memory_.scatter(op.out.extents, from_integers(op.out.dtype, values).data());
    return;
  }
  std::vector<double> values;
  load(in, op.out.shape, values);
  memory_.scatter(op.out.extents, from_doubles(op.out.dtype, values).data());
}

void Executor::run(const MathOpRecord& op) {
  if (op.op == MathOp::rand) return run_rand(op);
  if (!op.epilogues.empty()) return run_with_epilogues(op);
  const std::optional<Dtype> chosen = has_out_dtype(op.op) ? std::optional<Dtype>(op.out.dtype) : std::nullopt;
  const TensorType result = math_result(op.op, op.inputs, op.axis, chosen);
  if (result.shape != op.out.shape || op.out.transposed) {
    throw Error::program("SHAPE_ERROR", fmt::format("{}: the result is {}, the output {}", math_op_name(op.op),
                                                    format_shape(result.shape), format_operand(op.out)));
  }
  check_extents(op.out);
  if (op.op == MathOp::cast) return run_cast(op);
  if (result.dtype != op.out.dtype) {
    throw Error::program("DTYPE_ERROR",
                         fmt::format("{}: the result is {}, the output {}; cast it first", math_op_name(op.op),
                                     dtype_name(result.dtype), dtype_name(op.out.dtype)));
  }
  switch (math_form(op.op)) {
    case MathForm::arg_reduction:
    case MathForm::selection:
    case MathForm::joining:
    case MathForm::repacking:
      return run_selection(op);
    default:
      break;
  }
  const Shape& full = is_elementwise(op.op) ? result.shape : op.inputs[0].shape;
  // A comparison of floats gives integers; the condition of `where` is not considered.
  const std::size_t first = op.op == MathOp::where ? 1 : 0;
  if (is_float(op.inputs[first].dtype)) {
    run_math<float>(op, full);
  } else {
    run_math<std::int64_t>(op, full);
  }
}

}  // namespace kb::data
