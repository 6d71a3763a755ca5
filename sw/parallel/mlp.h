// The two layers of a transformer's MLP: the first split by columns, the second by rows, one all-reduce.
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
  std::optional<std::uint64_t> seed;  // of `up`; `down` has the next one and `gate` the one after; absent: zeros
  InitialValues values = InitialValues::uniform;  // what the seed gives
  std::string name = "mlp";
  MemoryKind memory = MemoryKind::hbm;  // what the weights lie in
};

// y = f(x W1 + b1) W2 + b2; with swiglu f(x) is silu(x Wg + bg) * (x W1 + b1).
class ParallelMlp {
 public:
  // `inner`, the width between the layers, is split over the ranks, with zeros at its end where that is not even.
  // Errors of the layers.
  ParallelMlp(ModelParallel& mp, std::int64_t width, std::int64_t inner, const MlpOptions& options = {});
  // x (m, width), whole on every rank -> (m, width), the same on every rank.
  Tensor forward(const Tensor& x) const;

  const ColumnParallelLinear& up() const { return *up_; }
  const RowParallelLinear& down() const { return *down_; }

 private:
  ModelParallel& mp_;
  Activation activation_;
  std::unique_ptr<ColumnParallelLinear> gate_, up_;  // gate: null without swiglu
  std::unique_ptr<RowParallelLinear> down_;
};

}  // namespace kb::sw
