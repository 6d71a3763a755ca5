// Epilogues of workloads with one composite: the checked chain of the command line, with contents for its tensors.
#pragma once

#include <string>
#include <vector>

#include "platform/ops/epilogue.h"
#include "sw/tensor/host_array.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/params.h"

namespace kb::sw {

Parameter epilogue_parameter(const std::string& more);
Parameter operand_dtype_parameter();  // "operand_dtype": dtype of the operands of PE_MATH operations

class EpilogueOperands {
 public:
  struct Problem {
    Dtype product = Dtype::f32;   // dtype of the result before the chain: f32, i32 or i64
    Dtype operands = Dtype::f16;  // dtype of A and B, or X; default dtype of operands of a float product
    std::int64_t m = 1, n = 1;
  };
  // Configuration Error that names the parameter `epilogue`.
  EpilogueOperands(const std::string& text, const Params& params, const Problem& problem);

  const std::vector<EpilogueText>& chain() const { return chain_; }
  // The chain with operands that have shape and dtype but no address.
  const std::vector<Epilogue>& epilogues() const { return epilogues_; }
  Dtype result() const { return result_; }  // dtype after the chain: f32, i32 or i64
  // True when a step is non-linear, so that a large value could hide the loss of a term.
  bool has_functions() const;

  std::size_t size() const { return inputs_.size(); }
  // Contents of operand `i` (in the order of the chain), or a placeholder.
  HostArray operand(std::size_t i, Contents contents, std::uint64_t seed) const;
  HostArray unknown(std::size_t i) const { return HostArray::unknown(inputs_.at(i).shape, inputs_.at(i).dtype); }

 private:
  struct Input {
    MathOp op = MathOp::add;
    int place = 1;  // input position in `op`
    Shape shape;
    Dtype dtype = Dtype::f16;
  };

  std::vector<EpilogueText> chain_;
  std::vector<Epilogue> epilogues_;
  std::vector<Input> inputs_;
  Dtype result_ = Dtype::f32;
};

}  // namespace kb::sw
