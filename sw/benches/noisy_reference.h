// Host reference of a chain of layers that also says how far rounding may have moved each element.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/benches/bench.h"
#include "sw/parallel/functions.h"
#include "sw/parallel/mlp.h"
#include "sw/tensor/host_array.h"

namespace kb::sw {

// A matrix in double and, per element, the variance of what rounding has added to the machine's value. Roundings are
// taken as independent and uniform within half a unit in the last place; a comparison allows eight standard deviations.
struct NoisyMatrix {
  std::size_t rows = 0, cols = 0;
  std::vector<double> values, variance;
};

// Layers of a model whose ranks compute in `dtype`, in plain loops over the whole, unsplit matrices.
class NoisyReference {
 public:
  NoisyReference(Dtype dtype, int ranks) : dtype_(dtype), ranks_(ranks) {}

  NoisyMatrix exact(const HostArray& array) const;
  // x W + b; `split_sum`: the ranks' partial products are rounded before they are added (row-parallel).
  NoisyMatrix linear(const NoisyMatrix& x, const HostArray& w, const HostArray* bias, bool split_sum) const;
  NoisyMatrix activate(Activation activation, const NoisyMatrix& x) const;  // all but swiglu
  NoisyMatrix swiglu(const NoisyMatrix& gate, const NoisyMatrix& x) const;
  NoisyMatrix add(const NoisyMatrix& x, const NoisyMatrix& y) const;
  NoisyMatrix layer_norm(const NoisyMatrix& x, double eps) const;
  // Heads of the whole model.
  NoisyMatrix attention(const NoisyMatrix& qkv, const AttentionShape& shape) const;

  // A verification row when the run computes data, else a note.
  void verify(Runtime& runtime, BenchResult& result, const std::string& tensor, const HostArray& actual,
              const NoisyMatrix& expected) const;

 private:
  void round(NoisyMatrix& x) const;  // to the dtype

  Dtype dtype_;
  int ranks_;
};

}  // namespace kb::sw
