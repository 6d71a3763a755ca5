#include "kernels/gemm/gemm_composite.h"

#include "kernels/tl/tl.h"

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Epilogue;
using tl::Ptr;
using tl::TensorHandle;
using OptionalInt = std::optional<std::int64_t>;
using OptionalPtr = std::optional<Ptr>;

struct Arguments {
  Ptr a, b, c;
  std::int64_t m = 0, k = 0, n = 0, a_loaded = 0, b_loaded = 0;
  OptionalInt tile_m, tile_k, tile_n;
  std::optional<std::string> epilogue;
  OptionalPtr bias, scale;
};

TensorHandle load_whole(Context& tl, OptionalPtr tensor, const char* what) {
  tl.require(tensor.has_value(), std::string("the epilogue needs the tensor '") + what + "'");
  return tl.load(*tensor, tensor->shape());
}

tl::Operand number_of(const EpilogueText& text) {
  return std::visit([](auto value) { return tl::Operand(value); }, *text.number);
}

// A scale with several rows has one for each K tile.
Epilogue dequant(Context& tl, const EpilogueText& text, OptionalPtr scale) {
  if (text.number) return Epilogue::dequant(number_of(text), text.scope);
  if (text.scope != EpilogueScope::k_tile) return Epilogue::dequant(load_whole(tl, scale, "scale"), text.scope);
  tl.require(scale.has_value(), "the epilogue needs the tensor 'scale'");
  tl.require_matrices({*scale});
  return Epilogue::dequant(tl.load(*scale, {scale->shape()[0], 1, scale->shape()[1]}), text.scope);
}

void gemm_composite(Context& tl, const Arguments& args) {
  tl::CompositeOptions options;
  if (args.tile_m.value_or(0) != 0 && args.tile_k.value_or(0) != 0 && args.tile_n.value_or(0) != 0) {
    options.tile_shape = tl::TileShape{*args.tile_m, *args.tile_k, *args.tile_n};
  }
  for (const EpilogueText& text : parse_epilogues(args.epilogue.value_or(""))) {
    switch (text.op) {
      case EpilogueOp::relu:
        options.epilogue.push_back(Epilogue::relu(text.scope));
        break;
      case EpilogueOp::scale:
        options.epilogue.push_back(Epilogue::scale(number_of(text), text.scope));
        break;
      case EpilogueOp::bias:
        options.epilogue.push_back(text.number ? Epilogue::bias(number_of(text), text.scope)
                                               : Epilogue::bias(load_whole(tl, args.bias, "bias"), text.scope));
        break;
      case EpilogueOp::dequant:
        options.epilogue.push_back(dequant(tl, text, args.scale));
        break;
    }
  }
  const Shape left{args.m, args.k}, right{args.k, args.n};
  const TensorHandle a = args.a_loaded != 0 ? tl.load(args.a, left) : tl.ref(args.a, left);
  const TensorHandle b = args.b_loaded != 0 ? tl.load(args.b, right) : tl.ref(args.b, right);
  tl.wait(tl.composite(a, b, args.c, options));
}

}  // namespace

contract::Kernel gemm_composite_kernel() {
  return tl::make_kernel("gemm_composite",
                         "C (m, n) = A (m, k) x B (k, n) with epilogues as one composite on the PE that runs it",
                         tl::Parameters<Arguments>{{"a", &Arguments::a},
                                                   {"b", &Arguments::b},
                                                   {"c", &Arguments::c},
                                                   {"m", &Arguments::m},
                                                   {"k", &Arguments::k},
                                                   {"n", &Arguments::n},
                                                   {"a_loaded", &Arguments::a_loaded},
                                                   {"b_loaded", &Arguments::b_loaded},
                                                   {"tile_m", &Arguments::tile_m},
                                                   {"tile_k", &Arguments::tile_k},
                                                   {"tile_n", &Arguments::tile_n},
                                                   {"epilogue", &Arguments::epilogue},
                                                   {"bias", &Arguments::bias},
                                                   {"scale", &Arguments::scale}},
                         gemm_composite);
}

}  // namespace kb::kernels
