// The MLP of a transformer: the first layer is split by columns, the second by rows, with one all-reduce.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sw/parallel/linear_layers.h"

namespace kb::sw {

enum class Activation { none, relu, gelu, silu, swiglu };
// "none", "relu", "gelu", "silu", "swiglu"; program Error SCHEMA_ERROR with the nearest name.
Activation activation_named(const std::string& name);

struct MlpOptions {
  Activation activation = Activation::gelu;
  bool bias = true;
  Dtype dtype = Dtype::f16;
  std::optional<std::uint64_t> seed;  // seed of `up`; `down` uses seed + 1 and `gate` seed + 2; no value: zeros
  InitialValues values = InitialValues::uniform;  // kind of initial values
  std::string name = "mlp";
  MemoryKind memory = MemoryKind::hbm;  // memory of the weights
};

// y = f(x W1 + b1) W2 + b2; with swiglu f(x) is silu(x Wg + bg) * (x W1 + b1).
class ParallelMlp {
 public:
  // `inner`, the width between the layers, is split over the ranks and padded with zeros if that is not even. Errors
  // are those of the layers.
  ParallelMlp(ModelParallel& mp, std::int64_t width, std::int64_t inner, const MlpOptions& options = {});
  // x (m, width), whole on every rank -> (m, width), equal on every rank.
  Tensor forward(const Tensor& x) const;

  const ColumnParallelLinear& up() const { return *up_; }
  const RowParallelLinear& down() const { return *down_; }

 private:
  ModelParallel& mp_;
  Activation activation_;
  std::unique_ptr<ColumnParallelLinear> gate_, up_;  // gate is null without swiglu
  std::unique_ptr<RowParallelLinear> down_;
};

}  // namespace kb::sw
