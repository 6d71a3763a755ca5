// Applies a chain of epilogues to a reference product.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/data/running_error.h"
#include "platform/ops/epilogue.h"
#include "sw/tensor/host_array.h"

namespace kb::sw {

// An intermediate result: floats with their bounds, or integers of the accumulator.
struct ReferenceProduct {
  bool floats = true;
  data::BoundedMatrix values;  // floats
  std::vector<std::int64_t> integers;
  std::vector<std::int64_t> others;  // alternative integers due to earlier rounding; empty: none

  std::size_t size() const { return floats ? values.values.size() : integers.size(); }
};

class EpilogueChain {
 public:
  struct Tensors {
    const HostArray* bias = nullptr;
    const HostArray* scale = nullptr;
    std::vector<const HostArray*> operands;  // of PE_MATH operations
  };
  // `wide`: integers are i64, otherwise i32. Products have n columns.
  EpilogueChain(const std::vector<EpilogueText>& chain, const Tensors& tensors, std::size_t n, bool wide);

  // Steps of scope k_tile, and the others, in the order of execution.
  bool per_k_tile() const { return rest_ > 0; }
  void apply_to_tile(ReferenceProduct& x, std::size_t k_tile) const;
  void apply_to_output(ReferenceProduct& x) const;

  // Descriptions of the roundings in the chain.
  std::vector<std::string> roundings() const;
  std::int64_t wrapped(std::uint64_t bits) const;

 private:
  // A tensor with the values of its dtype's kind, or a number.
  struct Input {
    std::optional<Scalar> number;
    Shape shape;
    bool floats = true;
    std::vector<double> values;
    std::vector<std::int64_t> integers;
  };
  struct Step {
    EpilogueText text;
    MathOp op = MathOp::relu;
    std::vector<Input> inputs;  // inputs except the product
  };
  static Input tensor_input(const HostArray& array);
  void apply(const Step& step, ReferenceProduct& x, std::size_t k_tile) const;
  void apply_to_floats(const Step& step, ReferenceProduct& x, std::size_t k_tile) const;
  void apply_to_integers(const Step& step, ReferenceProduct& x, std::size_t k_tile) const;
  void apply_where(const Step& step, ReferenceProduct& x, std::size_t k_tile) const;
  std::size_t place_of(const Input& input, std::size_t i, std::size_t k_tile) const;
  double value_of(const Input& input, std::size_t i, std::size_t k_tile) const;
  std::int64_t whole_of(const Input& input, std::size_t i, std::size_t k_tile) const;
  int bits() const { return wide_ ? 64 : 32; }

  std::size_t n_;
  bool wide_;
  std::vector<Step> steps_;  // in the order of execution
  std::size_t rest_ = 0;     // index of the first step whose scope is not k_tile
};

}  // namespace kb::sw
