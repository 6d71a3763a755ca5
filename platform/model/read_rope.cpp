#include <fmt/format.h>

#include <algorithm>

#include "platform/base/nearest.h"
#include "platform/model/families.h"
#include "platform/model/limits.h"

namespace kb::model {
namespace {

constexpr double kMostTheta = 1e12, kMostFactor = 1e6;

// Reports keys of the object that a type does not have.
void check_scaling_keys(ObjectReader& scaling) {
  for (const JsonMember* const member : scaling.unread()) {
    if (member->node().kind != JsonNode::Kind::null) {
      scaling.error(member->key, "is not known for this type of scaling, and may change the angles",
                    "leave it out if it does not");
    }
  }
}

void read_factor(ObjectReader& scaling, RopeSpec& rope) {
  const std::optional<double> factor = scaling.real("factor", 1, kMostFactor);
  if (!factor) scaling.missing("factor");
  rope.factor = factor.value_or(1);
}

void read_type(ObjectReader& scaling, const std::string& key, const std::string& type, RopeSpec& rope) {
  if (type == "default") return;
  const std::vector<std::string> known = {"default", "linear", "llama3", "yarn"};
  if (std::find(known.begin(), known.end(), type) == known.end()) {
    scaling.error(key, fmt::format("'{}' is not supported", type), suggest(type, known));
    return;
  }
  read_factor(scaling, rope);
  if (type == "linear") {
    rope.type = RopeType::linear;
    return;
  }
  rope.original_positions = scaling.required_whole("original_max_position_embeddings", {1, kMostPositions});
  if (type == "llama3") {
    rope.type = RopeType::llama3;
    rope.low_freq_factor = scaling.real("low_freq_factor", 0, kMostFactor).value_or(rope.low_freq_factor);
    rope.high_freq_factor = scaling.real("high_freq_factor", 0, kMostFactor).value_or(rope.high_freq_factor);
    if (rope.high_freq_factor <= rope.low_freq_factor) {
      scaling.error("high_freq_factor",
                    fmt::format("is {}, which is not above the {} of low_freq_factor", rope.high_freq_factor,
                                rope.low_freq_factor),
                    "Llama 3.1 has 4 and 1");
    }
    return;
  }
  rope.type = RopeType::yarn;
  rope.beta_fast = scaling.real("beta_fast", 0, kMostFactor).value_or(rope.beta_fast);
  rope.beta_slow = scaling.real("beta_slow", 0, kMostFactor).value_or(rope.beta_slow);
  rope.mscale = scaling.real("mscale", 0, kMostFactor).value_or(rope.mscale);
  rope.mscale_all_dim = scaling.real("mscale_all_dim", 0, kMostFactor).value_or(rope.mscale_all_dim);
}

// `key`: rope_scaling of files until version 4, rope_parameters after it, which also has the base.
void read_scaling(ObjectReader& file, const std::string& key, ModelSpec& spec) {
  const JsonNode* const node = file.value(key);
  if (node == nullptr) return;
  if (node->kind != JsonNode::Kind::object) {
    file.error(key, "is " + node->described(), "an object with rope_type");
    return;
  }
  ObjectReader scaling(file, key);
  const std::optional<double> theta = scaling.real("rope_theta", 1, kMostTheta);
  if (theta && file.has("rope_theta") && *theta != spec.rope.theta) {
    scaling.error("rope_theta", fmt::format("is {}, but rope_theta of the file is {}", *theta, spec.rope.theta),
                  "leave one of them out");
  }
  spec.rope.theta = theta.value_or(spec.rope.theta);
  const std::optional<std::string> type = scaling.text("rope_type"), old_type = scaling.text("type");
  if (type && old_type && *type != *old_type) {
    scaling.error("type", fmt::format("is '{}', but rope_type is '{}'", *old_type, *type), "leave one of them out");
  }
  if (!type && !old_type) {
    scaling.missing("rope_type", "add default, linear, llama3 or yarn");
    return;
  }
  const std::string chosen = type ? *type : *old_type;
  const std::size_t errors = file.problems().errors.size();
  read_type(scaling, type ? "rope_type" : "type", chosen, spec.rope);
  if (file.problems().errors.size() == errors) check_scaling_keys(scaling);
}

}  // namespace

void read_rope(ObjectReader& file, ModelSpec& spec) {
  spec.rope.theta = file.real("rope_theta", 1, kMostTheta).value_or(spec.rope.theta);
  if (file.has("rope_parameters") && file.has("rope_scaling")) {
    file.error("rope_scaling", "is there together with rope_parameters", "leave one of them out");
  }
  read_scaling(file, "rope_parameters", spec);
  if (!file.has("rope_parameters")) read_scaling(file, "rope_scaling", spec);
  if (spec.mla) spec.rope.interleaved = file.flag("rope_interleave", true);
}

}  // namespace kb::model
