#include "sim/study/verify/weight_parts.h"

#include <algorithm>
#include <cstddef>

#include "platform/base/error.h"
#include "sim/study/verify/device_model.h"

namespace kb::verify {
namespace {

// Roles whose product is summed over SIPs.
bool is_summed(const std::string& role) {
  return role == "self_attn.o_proj.bias" || role == "mlp.down_proj.bias";
}

}  // namespace

WeightParts::WeightParts(const model::ModelSpec& spec, const ModelWeights& weights, const model::ParallelPlan& plan)
    : spec_(spec), weights_(weights), plan_(plan), tensors_(model::all_weights(spec, Dtype::bf16)) {}

std::vector<double> WeightParts::values(const std::vector<std::string>& names, std::int64_t rank) const {
  std::vector<double> out;
  for (const std::string& name : names) {
    const auto found = std::find_if(tensors_.begin(), tensors_.end(),
                                    [&name](const model::WeightTensor& one) { return one.name() == name; });
    if (found == tensors_.end()) throw Error::model("the model has no tensor '" + name + "'");
    append(*found, rank, out);
  }
  return out;
}

void WeightParts::append(const model::WeightTensor& weight, std::int64_t rank, std::vector<double>& out) const {
  const std::vector<double>& all = weights_.at(weight.name());
  const Shape local = weight.local_shape(spec_, plan_);
  const bool vector = local.size() == 1;
  const std::int64_t rows = local[0], columns = vector ? 1 : local[1], stride = vector ? 1 : weight.columns();
  std::int64_t first_row = 0, first_column = 0;
  if (weight.cut == model::Cut::rows) first_row = rank * rows;
  if (weight.cut == model::Cut::kv_rows) first_row = kv_heads_of(spec_, plan_.tp, rank).first * spec_.head_dim;
  if (weight.cut == model::Cut::columns) first_column = rank * columns;
  const bool zero = rank > 0 && is_summed(weight.role);
  for (std::int64_t row = first_row; row < first_row + rows; ++row) {
    if (zero || row >= weight.rows()) {
      out.insert(out.end(), static_cast<std::size_t>(columns), 0.0);
      continue;
    }
    const auto begin = all.begin() + row * stride + first_column;
    out.insert(out.end(), begin, begin + columns);
  }
}

}  // namespace kb::verify
