// Linear layers with weights split over the ranks of a model (K-71 .. K-75).
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
  bool gather_output = false;  // column-parallel: the result is whole on every rank
  // row-parallel: x has the rank's columns; false: x is whole and the layer takes its columns
  bool input_is_parallel = true;
  // column-parallel: widths of several outputs in one matrix, such as queries, keys and values; each is split over the
  // ranks. Empty: one output.
  std::vector<std::int64_t> parts;
  // Pads a dimension that cannot be split evenly with zeros to ModelParallel::padded_share(); excludes parts and
  // gather_output.
  bool pad = false;
  std::optional<std::uint64_t> seed;  // of weights and bias, independent of the number of ranks; no value: zeros (K-73)
  InitialValues values = InitialValues::uniform;  // kind of initial values
  std::string name = "linear";                    // for reports and messages
  MemoryKind memory = MemoryKind::hbm;            // memory of weight and bias
};
// Options of layer `name` with index `number` in a larger module with these options.
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

// y = x W + b with the columns of W (in, out) and b split over the ranks. Needs no collective unless gather_output is
// set.
class ColumnParallelLinear {
 public:
  // Called by every rank of the model after set_device. SHAPE_ERROR when `out` or a part does not divide evenly;
  // DEVICE_ERROR when the rank is bound to another SIP.
  ColumnParallelLinear(ModelParallel& mp, std::int64_t in, std::int64_t out, const LinearOptions& options = {});

  // Maps x (m, in), which is whole on every rank, to (m, out / size), split by columns over the SIP, or with
  // gather_output to (m, out) with whole rows. The placement of x must have whole rows, or split columns without
  // copies.
  Tensor forward(const Tensor& x) const;

  // Takes the whole W (in, out) and b (1, out) and stores the rank's part. SHAPE_ERROR, DTYPE_ERROR.
  void load(const HostArray& weight) const;
  void load(const HostArray& weight, const HostArray& bias) const;
  const Tensor& weight() const { return weight_; }  // (in, out / size), or the padded share
  const Tensor& bias() const { return bias_; }      // (1, out / size); not valid without a bias

 private:
  std::int64_t share(std::int64_t part) const;
  HostArray own_columns(const HostArray& whole) const;

  ModelParallel& mp_;
  std::int64_t in_, out_;
  LinearOptions options_;
  Tensor weight_, bias_;
};

// y = x W + b with the rows of W (in, out) split over the ranks: partial products, summed over the ranks. The bias is
// equal on every rank and is added once, after the sum.
class RowParallelLinear {
 public:
  // The arguments are those of ColumnParallelLinear; `in` is split.
  RowParallelLinear(ModelParallel& mp, std::int64_t in, std::int64_t out, const LinearOptions& options = {});

  // x (m, in / size), or (m, in) without input_is_parallel -> (m, out), equal on every rank, split by columns over the
  // SIP.
  Tensor forward(const Tensor& x) const;

  void load(const HostArray& weight) const;
  void load(const HostArray& weight, const HostArray& bias) const;
  const Tensor& weight() const { return weight_; }  // (in / size, out)
  const Tensor& bias() const { return bias_; }      // (1, out); not valid without a bias

 private:
  ModelParallel& mp_;
  std::int64_t in_, out_;
  std::int64_t share_ = 0;  // this rank's part of in_
  LinearOptions options_;
  Tensor weight_, bias_;
};

}  // namespace kb::sw
