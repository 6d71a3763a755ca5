#include "kernels/linear/linear.h"

#include <fmt/format.h>

#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Epilogue;
using tl::Ptr;
using tl::TensorHandle;

void require_product(Context& tl, Ptr x, Ptr w, Ptr y) {
  tl.require_matrices({x, w, y});
  const bool fits = x.shape()[1] == w.shape()[0] && y.shape() == Shape{x.shape()[0], w.shape()[1]};
  if (fits) return;
  tl.fail(fmt::format("'{}' {} times '{}' {} does not give '{}' {}", x.tensor().name, format_shape(x.shape()),
                      w.tensor().name, format_shape(w.shape()), y.tensor().name, format_shape(y.shape())));
}

void require_rows(Context& tl, Ptr tensor) {
  if (tensor.row_major()) return;
  tl.fail(fmt::format("'{}' is split by columns where its rows are read; replicate it or split it by rows",
                      tensor.tensor().name));
}

// Columns [first, first + columns) of the bias: from a whole copy, or from the part that this PE owns.
TensorHandle load_bias(Context& tl, std::optional<Ptr> bias, std::int64_t first, std::int64_t columns) {
  if (!bias) tl.fail("the epilogue needs the tensor 'bias'");
  if (bias->row_major()) return tl.load(*bias + first, {1, columns});
  const tl::LocalShard own = tl.shard(*bias);
  tl.require(own.first == first && own.elements == columns,
             "the bias must be split like the columns of Y, or replicated");
  return tl.load(own.ptr, {1, columns});
}

std::vector<Epilogue> chain(Context& tl, const std::string& text, std::optional<Ptr> bias, std::int64_t first,
                            std::int64_t columns) {
  std::vector<Epilogue> out;
  for (const EpilogueText& step : parse_epilogues(text)) {
    const auto number = [&] {
      if (!step.number) tl.fail(fmt::format("epilogue {} needs a number here", epilogue_name(step)));
      return std::visit([](auto value) { return tl::Operand(value); }, *step.number);
    };
    if (step.op == EpilogueOp::relu) {
      out.push_back(Epilogue::relu(step.scope));
    } else if (step.op == EpilogueOp::bias) {
      out.push_back(step.number ? Epilogue::bias(number(), step.scope)
                                : Epilogue::bias(load_bias(tl, bias, first, columns), step.scope));
    } else if (step.op == EpilogueOp::scale) {
      out.push_back(Epilogue::scale(number(), step.scope));
    } else if (step.op == EpilogueOp::dequant) {
      out.push_back(Epilogue::dequant(number(), step.scope));
    } else {
      std::vector<tl::Operand> numbers;
      for (const EpilogueArgument& argument : step.arguments) {
        if (!argument.number) tl.fail(fmt::format("epilogue {} needs numbers here", epilogue_name(step)));
        numbers.push_back(std::visit([](auto value) { return tl::Operand(value); }, *argument.number));
      }
      out.push_back(Epilogue::of(step, numbers));
    }
  }
  return out;
}

// Computes rows [row, row + rows) of y.
void linear_rows(Context& tl, Ptr x, Ptr w, Ptr y, std::int64_t row, std::int64_t rows, const std::string& epilogue,
                 std::optional<Ptr> bias) {
  for (const Ptr tensor : {x, w, y}) require_rows(tl, tensor);
  const std::int64_t k = w.shape()[0], n = w.shape()[1];
  tl::CompositeOptions options;
  options.epilogue = chain(tl, epilogue, bias, 0, n);
  tl.wait(tl.composite(tl.ref(x + row * k, {rows, k}), tl.ref(w, {k, n}), y + row * n, options));
}

void linear(Context& tl, Ptr x, Ptr w, Ptr y, std::optional<std::string> epilogue, std::optional<Ptr> bias) {
  require_product(tl, x, w, y);
  const tl::LocalShard mine = tl.shard(y);
  if (mine.elements == 0) return;
  const tl::Scratch scope(tl);
  const std::int64_t m = y.shape()[0], n = y.shape()[1], k = x.shape()[1];
  const std::string steps = epilogue.value_or("");
  if (mine.shape[1] == n) {
    linear_rows(tl, x, w, y, mine.first / n, mine.shape[0], steps, bias);
    return;
  }
  const tl::LocalShard weights = tl.shard(w);
  tl.require(mine.shape[0] == m && weights.shape == Shape{k, mine.shape[1]},
             "W must be split by columns like Y; give Y rows or columns, not blocks");
  require_rows(tl, x);
  const std::int64_t first_column = weights.first / k;  // shards of W are consecutive columns
  tl.require(mine.first == first_column * m, "W must be split by columns like Y");
  tl::CompositeOptions options;
  options.epilogue = chain(tl, steps, bias, first_column, mine.shape[1]);
  tl.wait(tl.composite(tl.ref(x, {m, k}), tl.ref(weights.ptr, weights.shape), mine.ptr, options));
}

struct MlpArguments {
  Ptr x, w1, b1, h, w2, b2, y;
};

void mlp(Context& tl, const MlpArguments& args) {
  require_product(tl, args.x, args.w1, args.h);
  require_product(tl, args.h, args.w2, args.y);
  const Ptr y = args.y;
  const tl::LocalShard mine = tl.shard(y);
  if (mine.elements == 0) return;
  tl.require(mine.shape[1] == y.shape()[1], "Y must be split by rows");
  const tl::Scratch scope(tl);
  const std::int64_t row = mine.first / y.shape()[1];
  linear_rows(tl, args.x, args.w1, args.h, row, mine.shape[0], "bias,relu", args.b1);
  linear_rows(tl, args.h, args.w2, y, row, mine.shape[0], "bias", args.b2);
}

}  // namespace

contract::Kernel linear_kernel() {
  return tl::make_kernel("linear",
                         "Y = epilogue(X x W) as composites; each PE computes the rows or columns of Y it owns",
                         {"x", "w", "y", "epilogue", "bias"}, linear);
}

contract::Kernel mlp_kernel() {
  return tl::make_kernel("mlp",
                         "Y = relu(X x W1 + B1) x W2 + B2 on the rows each PE owns, two composites with epilogues",
                         tl::Parameters<MlpArguments>{{"x", &MlpArguments::x},
                                                      {"w1", &MlpArguments::w1},
                                                      {"b1", &MlpArguments::b1},
                                                      {"h", &MlpArguments::h},
                                                      {"w2", &MlpArguments::w2},
                                                      {"b2", &MlpArguments::b2},
                                                      {"y", &MlpArguments::y}},
                         mlp);
}

}  // namespace kb::kernels
