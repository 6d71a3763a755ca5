// Epilogues of the workloads that run one composite: the chain of the command line, checked, with contents for the
// tensors that it takes.
#pragma once

#include <string>
#include <vector>

#include "platform/ops/epilogue.h"
#include "sw/tensor/host_array.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/params.h"

namespace kb::sw {

Parameter epilogue_parameter(const std::string& more);
Parameter operand_dtype_parameter();  // "operand_dtype": of operands of operations of PE_MATH

class EpilogueOperands {
 public:
  struct Problem {
    Dtype product = Dtype::f32;   // of the result before the chain: f32, i32 or i64
    Dtype operands = Dtype::f16;  // of A and B, or X: the dtype of operands of a float product
    std::int64_t m = 1, n = 1;
  };
  // Program Error of configuration that names the parameter `epilogue`.
  EpilogueOperands(const std::string& text, const Params& params, const Problem& problem);

  const std::vector<EpilogueText>& chain() const { return chain_; }
  // The chain with operands that have shape and dtype and no place.
  const std::vector<Epilogue>& epilogues() const { return epilogues_; }
  Dtype result() const { return result_; }  // f32, i32 or i64 when the chain has ended
  // Whether a step bends its input, so that a large result would hide a term that is lost in it.
  bool has_functions() const;

  std::size_t size() const { return inputs_.size(); }
  // Arguments of an operand, as data or without: one after the other in the order of the chain.
  HostArray operand(std::size_t i, Contents contents, std::uint64_t seed) const;
  HostArray unknown(std::size_t i) const { return HostArray::unknown(inputs_.at(i).shape, inputs_.at(i).dtype); }

 private:
  struct Input {
    MathOp op = MathOp::add;
    int place = 1;  // which input of `op`
    Shape shape;
    Dtype dtype = Dtype::f16;
  };

  std::vector<EpilogueText> chain_;
  std::vector<Epilogue> epilogues_;
  std::vector<Input> inputs_;
  Dtype result_ = Dtype::f32;
};

}  // namespace kb::sw
