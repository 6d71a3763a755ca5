// Linear layers whose weights are split over the ranks of a model (K-71 .. K-75).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/parallel/initial_values.h"
#include "sw/parallel/model_parallel.h"

namespace kb::sw {

struct LinearOptions {
  bool bias = false;
  Dtype dtype = Dtype::f16;
  bool gather_output = false;         // column-parallel: the result is whole on every rank
  bool input_is_parallel = true;      // row-parallel: x is the rank's columns; false: x is whole, the layer takes them
  std::vector<std::int64_t> parts;    // column-parallel: widths of outputs side by side, each split over the ranks by
                                      // itself, such as queries, keys and values; empty: one
  bool pad = false;                   // what is split and cannot be split evenly gets zeros at its end, up to
                                      // ModelParallel::padded_share(); not with parts or gather_output
  std::optional<std::uint64_t> seed;  // of weights and bias, the same for every number of ranks; absent: zeros (K-73)
  InitialValues values = InitialValues::uniform;  // what the seed gives
  std::string name = "linear";                    // in reports and messages
  MemoryKind memory = MemoryKind::hbm;            // what weight and bias lie in
};
// The options of layer `name`, the `number`th of a larger module with options of its own.
template <typename ModuleOptions>
LinearOptions layer_options(const ModuleOptions& module, const char* name, std::uint64_t number) {
  LinearOptions out;
  out.bias = module.bias;
  out.dtype = module.dtype;
  if (module.seed) out.seed = *module.seed + number;
  out.values = module.values;
  out.name = module.name + "." + name;
  out.memory = module.memory;
  return out;
}

// y = x W + b with the columns of W (in, out) and b split over the ranks. No collective, unless gather_output.
class ColumnParallelLinear {
 public:
  // Called by every rank of the model after set_device. SHAPE_ERROR when `out` or a part cannot be split evenly;
  // DEVICE_ERROR when the rank is bound to another SIP.
  ColumnParallelLinear(ModelParallel& mp, std::int64_t in, std::int64_t out, const LinearOptions& options = {});

  // x (m, in), whole on every rank -> (m, out / size), split by columns over the SIP; with gather_output (m, out) with
  // whole rows. Any placement of x that has whole rows or is split by columns without copies.
  Tensor forward(const Tensor& x) const;

  // The whole W (in, out) and b (1, out); the rank takes its part. SHAPE_ERROR, DTYPE_ERROR.
  void load(const HostArray& weight) const;
  void load(const HostArray& weight, const HostArray& bias) const;
  const Tensor& weight() const { return weight_; }  // (in, out / size), or the padded share
  const Tensor& bias() const { return bias_; }      // (1, out / size); not valid without one

 private:
  std::int64_t share(std::int64_t part) const;
  HostArray own_columns(const HostArray& whole) const;

  ModelParallel& mp_;
  std::int64_t in_, out_;
  LinearOptions options_;
  Tensor weight_, bias_;
};

// y = x W + b with the rows of W (in, out) split over the ranks: partial products, summed over the ranks. The bias, the
// same on every rank, is added once, after the sum.
class RowParallelLinear {
 public:
  // The arguments are those of ColumnParallelLinear; `in` is split.
  RowParallelLinear(ModelParallel& mp, std::int64_t in, std::int64_t out, const LinearOptions& options = {});

  // x (m, in / size), or (m, in) without input_is_parallel -> (m, out), the same on every rank, split by columns over
  // the SIP.
  Tensor forward(const Tensor& x) const;

  void load(const HostArray& weight) const;
  void load(const HostArray& weight, const HostArray& bias) const;
  const Tensor& weight() const { return weight_; }  // (in / size, out)
  const Tensor& bias() const { return bias_; }      // (1, out); not valid without one

 private:
  ModelParallel& mp_;
  std::int64_t in_, out_;
  std::int64_t share_ = 0;  // of in_
  LinearOptions options_;
  Tensor weight_, bias_;
};

}  // namespace kb::sw
