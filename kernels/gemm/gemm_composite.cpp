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
  return Epilogue::dequant(tl.load(*scale, {scale->shape()[0], 1, scale->shape()[1]}), text.scope);
}

void gemm_composite(Context& tl, Ptr a, Ptr b, Ptr c, std::int64_t m, std::int64_t k, std::int64_t n,
                    std::int64_t a_loaded, std::int64_t b_loaded, OptionalInt tile_m, OptionalInt tile_k,
                    OptionalInt tile_n, std::optional<std::string> epilogue, OptionalPtr bias, OptionalPtr scale) {
  tl::CompositeOptions options;
  if (tile_m.value_or(0) != 0 && tile_k.value_or(0) != 0 && tile_n.value_or(0) != 0) {
    options.tile_shape = tl::TileShape{*tile_m, *tile_k, *tile_n};
  }
  for (const EpilogueText& text : parse_epilogues(epilogue.value_or(""))) {
    switch (text.op) {
      case EpilogueOp::relu:
        options.epilogue.push_back(Epilogue::relu(text.scope));
        break;
      case EpilogueOp::scale:
        options.epilogue.push_back(Epilogue::scale(number_of(text), text.scope));
        break;
      case EpilogueOp::bias:
        options.epilogue.push_back(text.number ? Epilogue::bias(number_of(text), text.scope)
                                               : Epilogue::bias(load_whole(tl, bias, "bias"), text.scope));
        break;
      case EpilogueOp::dequant:
        options.epilogue.push_back(dequant(tl, text, scale));
        break;
    }
  }
  const TensorHandle left = a_loaded != 0 ? tl.load(a, {m, k}) : tl.ref(a, {m, k});
  const TensorHandle right = b_loaded != 0 ? tl.load(b, {k, n}) : tl.ref(b, {k, n});
  tl.wait(tl.composite(left, right, c, options));
}

}  // namespace

contract::Kernel gemm_composite_kernel() {
  return tl::make_kernel(
      "gemm_composite", "C (m, n) = A (m, k) x B (k, n) with epilogues as one composite on the PE that runs it",
      {"a", "b", "c", "m", "k", "n", "a_loaded", "b_loaded", "tile_m", "tile_k", "tile_n", "epilogue", "bias", "scale"},
      gemm_composite);
}

}  // namespace kb::kernels
