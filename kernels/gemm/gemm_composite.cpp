#include "kernels/gemm/gemm_composite.h"

#include <fmt/format.h>

#include "kernels/gemm/epilogues.h"
#include "kernels/tl/tl.h"
#include "platform/contract/kernel.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Ptr;
using tl::TensorHandle;
using OptionalInt = std::optional<std::int64_t>;
using OptionalPtr = std::optional<Ptr>;

struct GemmArguments {
  Ptr a, b, c;
  std::int64_t m = 0, k = 0, n = 0, a_loaded = 0, b_loaded = 0;
  OptionalInt tile_m, tile_k, tile_n, reuse_a;
  std::optional<std::string> epilogue;
  OptionalPtr bias, scale, operand1, operand2, operand3, operand4;
};

void gemm_composite(Context& tl, const GemmArguments& args) {
  tl::CompositeOptions options;
  if (args.tile_m.value_or(0) != 0 && args.tile_k.value_or(0) != 0 && args.tile_n.value_or(0) != 0) {
    options.tile_shape = tl::TileShape{*args.tile_m, *args.tile_k, *args.tile_n};
  }
  if (args.reuse_a) options.reuse_a = *args.reuse_a != 0 ? ReuseA::automatic : ReuseA::off;
  options.epilogue =
      make_epilogues(tl, args.epilogue.value_or(""),
                     {args.bias, args.scale, {args.operand1, args.operand2, args.operand3, args.operand4}});
  const Shape left{args.m, args.k}, right{args.k, args.n};
  const TensorHandle a = args.a_loaded != 0 ? tl.load(args.a, left) : tl.ref(args.a, left);
  const TensorHandle b = args.b_loaded != 0 ? tl.load(args.b, right) : tl.ref(args.b, right);
  tl.wait(tl.composite(a, b, args.c, options));
}

struct MathArguments {
  Ptr x, y;
  std::string op;
  OptionalInt x_loaded, tile_m, tile_n;
  std::optional<std::string> epilogue;
  OptionalPtr operand1, operand2, operand3, operand4;
};

void math_composite(Context& tl, const MathArguments& args) {
  const auto op = parse_math_op(args.op);
  if (!op) tl.fail(fmt::format("there is no operation '{}'", args.op));
  tl::CompositeOptions options;
  if (args.tile_m.value_or(0) != 0 && args.tile_n.value_or(0) != 0) {
    options.tile_shape = tl::TileShape{*args.tile_m, 1, *args.tile_n};
  }
  options.epilogue = make_epilogues(tl, args.epilogue.value_or(""),
                                    {{}, {}, {args.operand1, args.operand2, args.operand3, args.operand4}});
  const Shape& shape = args.x.shape();
  const TensorHandle x = args.x_loaded.value_or(0) != 0 ? tl.load(args.x, shape) : tl.ref(args.x, shape);
  tl.wait(tl.composite(*op, x, args.y, options));
}

}  // namespace

contract::Kernel gemm_composite_kernel() {
  using A = GemmArguments;
  return tl::make_kernel("gemm_composite",
                         "C (m, n) = A (m, k) x B (k, n) with epilogues as one composite on the PE that runs it",
                         tl::Parameters<A>{{"a", &A::a},
                                           {"b", &A::b},
                                           {"c", &A::c},
                                           {"m", &A::m},
                                           {"k", &A::k},
                                           {"n", &A::n},
                                           {"a_loaded", &A::a_loaded},
                                           {"b_loaded", &A::b_loaded},
                                           {"tile_m", &A::tile_m},
                                           {"tile_k", &A::tile_k},
                                           {"tile_n", &A::tile_n},
                                           {"epilogue", &A::epilogue},
                                           {"bias", &A::bias},
                                           {"scale", &A::scale},
                                           {"operand1", &A::operand1},
                                           {"operand2", &A::operand2},
                                           {"operand3", &A::operand3},
                                           {"operand4", &A::operand4},
                                           {"reuse_a", &A::reuse_a}},
                         gemm_composite);
}

contract::Kernel math_composite_kernel() {
  using A = MathArguments;
  return tl::make_kernel("math_composite", "Y = op(X) with epilogues as one composite on the PE that runs it",
                         tl::Parameters<A>{{"x", &A::x},
                                           {"y", &A::y},
                                           {"op", &A::op},
                                           {"x_loaded", &A::x_loaded},
                                           {"tile_m", &A::tile_m},
                                           {"tile_n", &A::tile_n},
                                           {"epilogue", &A::epilogue},
                                           {"operand1", &A::operand1},
                                           {"operand2", &A::operand2},
                                           {"operand3", &A::operand3},
                                           {"operand4", &A::operand4}},
                         math_composite);
}

}  // namespace kb::kernels
