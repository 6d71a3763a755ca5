#include "sw/profile/profile_step_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kb::profile {
namespace {

const Line* find(const std::map<std::string, Line>& lines, const std::string& kernel) {
  const auto found = lines.find(kernel);
  return found == lines.end() ? nullptr : &found->second;
}

std::int64_t look_up(const Line* line, std::int64_t query) {
  return line == nullptr ? 0 : cut_ns(line->at(std::max<std::int64_t>(1, query)));
}

// A cache by a small number.
std::int64_t& cached(std::vector<std::int64_t>& values, std::int64_t index) {
  const auto at = static_cast<std::size_t>(index);
  if (values.size() <= at) values.resize(at + 1, -1);
  return values[at];
}

}  // namespace

void DecodeContexts::add(std::int64_t context) {
  least = count == 0 ? context : std::min(least, context);
  most = count == 0 ? context : std::max(most, context);
  sum += context;
  ++count;
}

ProfileStepTime::ProfileStepTime(KernelProfile& profile, const ServedModel& model, Ranks ranks, const RankLinks& links)
    : profile_(profile),
      model_(model),
      ranks_(ranks),
      links_(links),
      last_tokens_(std::numeric_limits<std::int64_t>::max()),
      last_sequences_(last_tokens_) {
  find_kernels();
}

// Devices whose name has "TPU" rotate inside another kernel.
void ProfileStepTime::find_kernels() {
  const bool no_rotation = profile_.hardware.find("TPU") != std::string::npos;
  for (const std::string& kernel : layer_kernels(model_.type)) {
    const bool own_table = kernel == "attention" || kernel == "moe";
    if (!own_table && !(no_rotation && kernel == "rotary_emb")) kernels_.push_back(kernel);
  }
  const auto note = [&](const std::string& kernel, const Line* line, std::int64_t& last) {
    if (line != nullptr) {
      last = std::min(last, line->last_key());
    } else if (std::find(missing_.begin(), missing_.end(), kernel) == missing_.end()) {
      missing_.push_back(kernel);
    }
  };
  for (const char* kernel : {"embedding", "final_layernorm"}) note(kernel, dense_line(kernel), last_tokens_);
  for (const std::string& kernel : kernels_) note(kernel, dense_line(kernel), last_tokens_);
  for (const char* kernel : {"lm_head", "sampler"}) note(kernel, per_sequence_line(kernel), last_sequences_);
  if (is_moe() && profile_.experts.empty()) missing_.emplace_back("moe");
}

RankTables& ProfileStepTime::tables(const std::string& kernel) {
  const auto first = profile_.by_tp.find(1);
  return is_tp_stable(kernel) && first != profile_.by_tp.end() ? first->second : profile_.by_tp.at(ranks_.tp);
}

const Line* ProfileStepTime::dense_line(const std::string& kernel) {
  return find(tables(kernel).dense, kernel);
}

const Line* ProfileStepTime::per_sequence_line(const std::string& kernel) {
  return find(tables(kernel).per_sequence, kernel);
}

std::int64_t ProfileStepTime::dense_ns(const std::string& kernel, std::int64_t tokens) {
  return look_up(dense_line(kernel), tokens);
}

std::int64_t ProfileStepTime::per_sequence_ns(const std::string& kernel, std::int64_t sequences) {
  return look_up(per_sequence_line(kernel), sequences);
}

std::int64_t ProfileStepTime::attention_ns(std::int64_t chunk, std::int64_t kv_prefill, const DecodeContexts& decodes,
                                           bool with_skew) {
  RankTables& own = profile_.by_tp.at(ranks_.tp);
  AttentionKey key{chunk, kv_prefill, decodes.count, decodes.mean()};
  const std::int64_t at_mean = own.attention.at(key);
  if (!with_skew || !own.skew || decodes.count <= 1 || decodes.most == decodes.mean()) return at_mean;
  const double rate =
      static_cast<double>(decodes.mean() - decodes.least) / static_cast<double>(decodes.most - decodes.least);
  const double alpha = own.skew->alpha(chunk, decodes.count, rate, decodes.most, kv_prefill);
  key.kv_decode = decodes.most;
  const std::int64_t at_most = own.attention.at(key);
  if (alpha == 0.0 || at_most <= at_mean) return at_mean;
  return std::max<std::int64_t>(
      1, std::llrint(static_cast<double>(at_mean) + alpha * static_cast<double>(at_most - at_mean)));
}

std::int64_t ProfileStepTime::expert_ns(std::int64_t tokens, std::int64_t activated) const {
  return profile_.experts.empty() ? 0 : profile_.experts.at(tokens, std::max<std::int64_t>(1, activated));
}

// Balanced routing: what reaches one of `ep` ranks, and how many of its experts are used (M-67).
std::int64_t ProfileStepTime::experts_ns(std::int64_t tokens) const {
  const auto count = static_cast<double>(tokens), ep = static_cast<double>(ranks_.ep);
  const auto top = static_cast<double>(model_.experts_per_token);
  const std::int64_t activated = std::min<std::int64_t>(std::llrint(count * top / ep), model_.experts / ranks_.ep);
  const double reaching = ranks_.ep == 1 ? count : count * (1.0 - std::pow((ep - 1.0) / ep, top));
  return expert_ns(std::llrint(reaching), activated);
}

std::int64_t ProfileStepTime::collectives_ns(std::int64_t tokens) const {
  const double bytes = static_cast<double>(tokens * model_.hidden * model_.element_bytes);
  double ns = 0.0;
  if (ranks_.tp > 1) {
    const double sums = is_moe() ? 1.0 : 2.0;  // after o_proj and down_proj
    ns += sums * std::round(ring_all_reduce_ns(links_, static_cast<double>(ranks_.tp), bytes));
  }
  if (is_moe() && ranks_.ep > 1) {
    const auto ep = static_cast<double>(ranks_.ep);
    const double sent =
        static_cast<double>(tokens) / ep * static_cast<double>((model_.hidden + model_.experts) * model_.element_bytes);
    ns += std::round(ring_all_gather_ns(links_, ep, sent)) + std::round(ring_reduce_scatter_ns(links_, ep, bytes));
  }
  return std::llround(ns);
}

std::int64_t ProfileStepTime::dense_layer_ns(std::int64_t tokens) {
  std::int64_t ns = collectives_ns(tokens);
  for (const std::string& kernel : kernels_) ns += dense_ns(kernel, tokens);
  return is_moe() ? ns + experts_ns(tokens) : ns;
}

std::int64_t ProfileStepTime::layer_ns(std::int64_t tokens, std::int64_t chunk, std::int64_t kv_prefill,
                                       const DecodeContexts& decodes) {
  std::int64_t& dense = cached(layers_, tokens);
  if (dense < 0) dense = dense_layer_ns(tokens);
  return dense + attention_ns(chunk, kv_prefill, decodes, true);
}

std::int64_t ProfileStepTime::step_ns(const serving::Batch& batch) {
  std::int64_t tokens = 0, chunk = 0, kv_prefill = 0;
  DecodeContexts decodes;
  for (const serving::BatchEntry& entry : batch) {
    tokens += entry.new_tokens;
    if (entry.new_tokens == 1) {
      decodes.add(entry.past);
    } else {
      chunk += entry.new_tokens;
      kv_prefill += entry.past;
    }
  }
  const auto sequences = static_cast<std::int64_t>(batch.size());
  std::int64_t& edge = cached(edges_, tokens);
  if (edge < 0) edge = dense_ns("embedding", tokens) + dense_ns("final_layernorm", tokens);
  std::int64_t& end = cached(ends_, sequences);
  if (end < 0) end = per_sequence_ns("lm_head", sequences) + per_sequence_ns("sampler", sequences);
  const std::int64_t layers = model_.layers * layer_ns(tokens, chunk, kv_prefill, decodes);
  const AttentionTable& attention = profile_.by_tp.at(ranks_.tp).attention;
  ++steps_;
  if (tokens > last_tokens_ || sequences > last_sequences_ ||
      attention.is_beyond({chunk, kv_prefill, decodes.count, decodes.mean()})) {
    ++extended_steps_;
  }
  return edge + layers + end;
}

std::vector<std::string> ProfileStepTime::abstractions() const {
  std::vector<std::string> list = {
      "kernels take the times of the profile, on straight lines between the measured points",
      "all layers take the same time, kernels run one after the other, and all decodes of a step count with the mean "
      "of "
      "their contexts"};
  if (extended_steps_ > 0) {
    list.push_back(
        fmt::format("{} of {} steps lie beyond the measured tokens or requests: the last two points are extended",
                    extended_steps_, steps_));
  }
  list.emplace_back(profile_.by_tp.at(ranks_.tp).skew
                        ? "unequal contexts of decodes cost what the skew fit of the profile says"
                        : "unequal contexts of decodes cost nothing: the profile has no skew fit that is switched on");
  if (!missing_.empty()) {
    list.push_back(fmt::format("the profile has no {}: no time is counted for it", fmt::join(missing_, ", ")));
  }
  if (ranks_.tp > 1) list.emplace_back("all-reduces take the time of a ring by formula, without contention");
  if (is_moe()) {
    list.emplace_back("tokens are spread evenly over the experts");
    if (ranks_.ep > 1) list.emplace_back("dispatch and combination of experts take the time of a ring by formula");
  }
  return list;
}

}  // namespace kb::profile
