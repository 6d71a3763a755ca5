#include "kernels/gemm/epilogues.h"

#include <fmt/format.h>

#include <deque>

namespace kb::kernels {
namespace {

using tl::Context;
using tl::Epilogue;
using tl::Ptr;
using tl::TensorHandle;

class Maker {
 public:
  Maker(Context& tl, const EpilogueTensors& tensors) : tl_(tl), tensors_(tensors) {}

  Epilogue make(const EpilogueText& text) {
    switch (text.op) {
      case EpilogueOp::relu:
        return Epilogue::relu(text.scope);
      case EpilogueOp::scale:
        return Epilogue::scale(operand(*text.number), text.scope);
      case EpilogueOp::bias:
        return text.number ? Epilogue::bias(operand(*text.number), text.scope)
                           : Epilogue::bias(load_whole(tensors_.bias, "bias"), text.scope);
      case EpilogueOp::dequant:
        return text.number ? Epilogue::dequant(operand(*text.number), text.scope)
                           : Epilogue::dequant(scales(text.scope), text.scope);
      case EpilogueOp::math:
        break;
    }
    std::deque<TensorHandle> refs;  // operands point to these
    std::vector<tl::Operand> operands;
    for (const EpilogueArgument& argument : text.arguments) {
      if (argument.number) {
        operands.push_back(operand(*argument.number));
      } else {
        operands.emplace_back(refs.emplace_back(next_operand(text)));
      }
    }
    return Epilogue::of(text, operands);
  }

 private:
  static tl::Operand operand(const Scalar& number) {
    return std::visit([](auto value) { return tl::Operand(value); }, number);
  }

  Ptr given(const std::optional<Ptr>& tensor, const std::string& name) const {
    tl_.require(tensor.has_value(), fmt::format("the epilogue needs the tensor '{}'", name));
    return *tensor;
  }

  TensorHandle load_whole(const std::optional<Ptr>& tensor, const std::string& name) {
    const Ptr ptr = given(tensor, name);
    return tl_.load(ptr, ptr.shape());
  }

  // With several rows, there is one row per K tile.
  TensorHandle scales(EpilogueScope scope) {
    if (scope != EpilogueScope::k_tile) return load_whole(tensors_.scale, "scale");
    const Ptr ptr = given(tensors_.scale, "scale");
    tl_.require_matrices({ptr});
    return tl_.load(ptr, {ptr.shape()[0], 1, ptr.shape()[1]});
  }

  TensorHandle next_operand(const EpilogueText& text) {
    const std::size_t number = next_++;
    tl_.require(number < tensors_.operands.size(),
                fmt::format("the epilogue {} would take operand {}; a chain has at most {} tensors as operands of "
                            "operations of PE_MATH",
                            epilogue_name(text), number + 1, tensors_.operands.size()));
    const Ptr ptr = given(tensors_.operands[number], fmt::format("operand{}", number + 1));
    return tl_.ref(ptr, ptr.shape());
  }

  Context& tl_;
  const EpilogueTensors& tensors_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<Epilogue> make_epilogues(Context& tl, const std::string& chain, const EpilogueTensors& tensors) {
  Maker maker(tl, tensors);
  std::vector<Epilogue> out;
  for (const EpilogueText& text : parse_epilogues(chain)) out.push_back(maker.make(text));
  return out;
}

}  // namespace kb::kernels
