// The time of a step as the sum of the kernels of a profile.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sw/profile/collectives.h"
#include "sw/profile/kernel_profile.h"
#include "sw/profile/served_model.h"
#include "sw/serving/i_step_time.h"

namespace kb::profile {

// Contexts of the decodes of a step: tokens computed before it.
struct DecodeContexts {
  std::int64_t count = 0, sum = 0, least = 0, most = 0;
  void add(std::int64_t context);
  std::int64_t mean() const { return count == 0 ? 0 : sum / count; }  // cut to an integer
};

// Step = embedding + layers x (sum of the kernels and collectives of a layer) + final_layernorm + lm_head + sampler,
// each an integer of ns (M-62).
class ProfileStepTime final : public serving::IStepTime {
 public:
  // The profile has tables of `ranks.tp` and outlives this. `links` are needed with more than one rank.
  ProfileStepTime(KernelProfile& profile, const ServedModel& model, Ranks ranks, const RankLinks& links);

  std::int64_t step_ns(const serving::Batch& batch) override;
  std::vector<std::string> abstractions() const override;

  // Single look-ups. A kernel that the profile lacks takes no time (M-61).
  std::int64_t dense_ns(const std::string& kernel, std::int64_t tokens);
  std::int64_t per_sequence_ns(const std::string& kernel, std::int64_t sequences);
  std::int64_t attention_ns(std::int64_t chunk, std::int64_t kv_prefill, const DecodeContexts& decodes, bool with_skew);
  std::int64_t expert_ns(std::int64_t tokens, std::int64_t activated) const;
  std::int64_t layer_ns(std::int64_t tokens, std::int64_t chunk, std::int64_t kv_prefill,
                        const DecodeContexts& decodes);

  // Kernels of the model that the profile lacks.
  const std::vector<std::string>& missing_kernels() const { return missing_; }

 private:
  RankTables& tables(const std::string& kernel);
  const Line* dense_line(const std::string& kernel);
  const Line* per_sequence_line(const std::string& kernel);
  void find_kernels();
  std::int64_t dense_layer_ns(std::int64_t tokens);
  std::int64_t experts_ns(std::int64_t tokens) const;
  std::int64_t collectives_ns(std::int64_t tokens) const;
  bool is_moe() const { return model_.experts > 0; }

  KernelProfile& profile_;
  ServedModel model_;
  Ranks ranks_;
  RankLinks links_;
  std::vector<std::string> kernels_;         // of a layer, without attention and experts
  std::vector<std::int64_t> layers_, ends_;  // by tokens, by sequences: sums without attention; -1 until asked for
  std::vector<std::int64_t> edges_;          // by tokens: embedding and final_layernorm
  std::vector<std::string> missing_;
  std::int64_t last_tokens_, last_sequences_;  // of the shortest table
  std::int64_t steps_ = 0, extended_steps_ = 0;
};

}  // namespace kb::profile
