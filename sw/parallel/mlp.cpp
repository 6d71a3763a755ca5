#include "sw/parallel/mlp.h"

#include <algorithm>
#include <vector>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "sw/parallel/functions.h"
#include "sw/parallel/regions.h"

namespace kb::sw {

Activation activation_named(const std::string& name) {
  static const std::vector<std::string> kNames{"none", "relu", "gelu", "silu", "swiglu"};
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found != kNames.end()) return static_cast<Activation>(found - kNames.begin());
  throw Error::program("SCHEMA_ERROR", "unknown activation '" + name + "' (" + suggest(name, kNames) + ")");
}

ParallelMlp::ParallelMlp(ModelParallel& mp, std::int64_t width, std::int64_t inner, const MlpOptions& options)
    : mp_(mp), activation_(options.activation) {
  // Padding with zeros: `down` multiplies the padded activations by zeros, so that they have no effect.
  const auto padded = [&](const char* name, std::uint64_t number) {
    LinearOptions layer = layer_options(options, name, number);
    layer.pad = true;
    return layer;
  };
  up_ = std::make_unique<ColumnParallelLinear>(mp, width, inner, padded("up", 0));
  down_ = std::make_unique<RowParallelLinear>(mp, inner, width, padded("down", 1));
  if (activation_ != Activation::swiglu) return;
  gate_ = std::make_unique<ColumnParallelLinear>(mp, width, inner, padded("gate", 2));
}

Tensor ParallelMlp::forward(const Tensor& x) const {
  // Both layers read the same copy of x.
  const Tensor rows = gate_ ? with_whole_rows(mp_, x, "mlp") : x;
  const Tensor up = up_->forward(rows);
  switch (activation_) {
    case Activation::none:
      return down_->forward(up);
    case Activation::relu:
      return down_->forward(relu(mp_, up));
    case Activation::gelu:
      return down_->forward(gelu(mp_, up));
    case Activation::silu:
      return down_->forward(silu(mp_, up));
    case Activation::swiglu:
      return down_->forward(swiglu(mp_, gate_->forward(rows), up));
  }
  throw Error::model("no such activation");
}

}  // namespace kb::sw
