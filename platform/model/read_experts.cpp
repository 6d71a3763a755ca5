#include <fmt/format.h>

#include <algorithm>

#include "platform/model/divisor.h"
#include "platform/model/families.h"
#include "platform/model/limits.h"

namespace kb::model {
namespace {

void set_layers(ModelSpec& spec, std::int64_t first_moe) {
  for (std::size_t layer = 0; layer < spec.layers.size(); ++layer) {
    spec.layers[layer].moe = static_cast<std::int64_t>(layer) >= first_moe;
  }
}

void read_mixtral(ObjectReader& file, ModelSpec& spec, MoeSpec& moe) {
  moe.experts = file.required_whole("num_local_experts", {1, kMostExperts});
  moe.width = spec.mlp_width;
  moe.normalized = true;
  set_layers(spec, 0);
}

// Newer files name the experts as those of Mixtral.
void read_qwen_experts(ObjectReader& file, MoeSpec& moe) {
  const std::optional<std::int64_t> own = file.whole("num_experts", {1, kMostExperts}),
                                    local = file.whole("num_local_experts", {1, kMostExperts});
  if (!own && !local) file.missing("num_experts");
  if (own && local && *own != *local) {
    file.error("num_local_experts", fmt::format("is {}, but num_experts is {}", *local, *own), "leave one of them out");
  }
  moe.experts = own.value_or(local.value_or(1));
}

void read_qwen(ObjectReader& file, ModelSpec& spec, MoeSpec& moe) {
  read_qwen_experts(file, moe);
  moe.width = file.required_whole("moe_intermediate_size", {1, kMostWidth});
  moe.normalized = file.flag("norm_topk_prob", false);
  const std::int64_t step = file.whole("decoder_sparse_step", {1, kMostLayers}).value_or(1);
  const std::int64_t last = spec.layer_count() - 1;
  const std::vector<std::int64_t> dense = file.wholes("mlp_only_layers", {0, last});
  for (std::int64_t layer = 0; layer <= last; ++layer) {
    const bool listed = std::find(dense.begin(), dense.end(), layer) != dense.end();
    spec.layers[static_cast<std::size_t>(layer)].moe = !listed && (layer + 1) % step == 0;
  }
}

// The one kind of router that DeepSeek-V3 has.
void read_deepseek_router(ObjectReader& file, MoeSpec& moe) {
  moe.router = RouterKind::sigmoid_bias;
  const std::string scoring = file.text("scoring_func").value_or("sigmoid");
  if (scoring != "sigmoid") file.error("scoring_func", fmt::format("'{}' is not supported", scoring), "use sigmoid");
  const std::string method = file.text("topk_method").value_or("noaux_tc");
  if (method != "noaux_tc") file.error("topk_method", fmt::format("'{}' is not supported", method), "use noaux_tc");
  moe.groups = file.required_whole("n_group", {1, kMostExperts});
  moe.top_groups = file.required_whole("topk_group", {1, kMostExperts});
  moe.scaling = file.real("routed_scaling_factor", 0, 1e6).value_or(1.0);
  moe.normalized = file.flag("norm_topk_prob", true);
  if (!file.problems().errors.empty()) return;  // values in the range stand for wrong ones
  if (moe.experts % moe.groups != 0) {
    file.error("n_group",
               fmt::format("is {}, which does not divide the {} of n_routed_experts", moe.groups, moe.experts),
               fmt::format("use a divisor, {} for example", nearest_divisor(moe.experts, moe.groups, moe.experts)));
  } else if (moe.top_groups > moe.groups) {
    file.error("topk_group", fmt::format("is {}, but n_group is {}", moe.top_groups, moe.groups),
               fmt::format("use {} or less", moe.groups));
  } else if (moe.top_k > moe.top_groups * (moe.experts / moe.groups)) {
    const std::int64_t most = moe.top_groups * (moe.experts / moe.groups);
    file.error("num_experts_per_tok", fmt::format("is {}, but the chosen groups have only {} experts", moe.top_k, most),
               fmt::format("use {} or less", most));
  }
}

void read_deepseek(ObjectReader& file, ModelSpec& spec, MoeSpec& moe) {
  moe.experts = file.required_whole("n_routed_experts", {1, kMostExperts});
  moe.width = file.required_whole("moe_intermediate_size", {1, kMostWidth});
  const std::int64_t shared = file.whole("n_shared_experts", {0, kMostExperts}).value_or(0);
  moe.shared_width = shared * moe.width;
  if (moe.shared_width > kMostWidth)
    file.error("n_shared_experts", "the shared experts are too wide together", "use fewer");
  const std::int64_t dense = file.required_whole("first_k_dense_replace", {0, kMostLayers});
  if (dense > spec.layer_count()) {
    file.error("first_k_dense_replace", fmt::format("is {}, but there are {} layers", dense, spec.layer_count()),
               fmt::format("use {} or less", spec.layer_count()));
  }
  set_layers(spec, dense);
  const std::int64_t every = file.whole("moe_layer_freq", {1, kMostLayers}).value_or(1);
  if (every != 1) file.error("moe_layer_freq", fmt::format("{} is not supported", every), "use 1");
  spec.mtp_layers = file.whole("num_nextn_predict_layers", {0, kMostLayers}).value_or(0);
  if (spec.mtp_layers > 0) {
    file.warn("num_nextn_predict_layers", "layers that predict further tokens are left out of counts and of time");
  }
  read_deepseek_router(file, moe);
}

}  // namespace

void read_experts(ObjectReader& file, const Family& family, ModelSpec& spec) {
  if (family.experts == Experts::none) return;
  MoeSpec moe;
  moe.top_k = file.required_whole("num_experts_per_tok", {1, kMostExperts});
  if (family.experts == Experts::mixtral) read_mixtral(file, spec, moe);
  if (family.experts == Experts::qwen) read_qwen(file, spec, moe);
  if (family.experts == Experts::deepseek) read_deepseek(file, spec, moe);
  if (file.problems().errors.empty() && moe.top_k > moe.experts) {
    file.error("num_experts_per_tok", fmt::format("is {}, but there are {} experts", moe.top_k, moe.experts),
               fmt::format("use {} or less", moe.experts));
  }
  spec.moe = moe;
}

}  // namespace kb::model
