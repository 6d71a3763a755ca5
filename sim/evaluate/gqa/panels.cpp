#include "sim/evaluate/gqa/panels.h"

#include <fmt/format.h>

#include <algorithm>

namespace kb::evaluate {
namespace {

constexpr GqaScale kValidation{"validation", 1, 1, 64, 64};
constexpr GqaScale kHeadline{"headline", 64, 8, 128, 8192};
constexpr std::int64_t kQueriesPerCube[] = {1, 2, 4};
constexpr int kCubesOfGroup = 4;

}  // namespace

const std::vector<GqaPanel>& gqa_panels() {
  static const std::vector<GqaPanel> panels{
      {"single_user_prefill", "single user, prefill", "attention_mesh_kv", "intracube_ring", true, 0, 16},
      {"multi_user_prefill", "multi user, prefill", "attention_mesh_kv", "intercube_multisip", true, 1, 16},
      {"single_user_decode", "single user, decode", "attention_mesh_mlo", "intracube_ring", false, 0, 1},
      {"multi_user_decode", "multi user, decode", "attention_mesh_mlo", "intercube_multisip", false, 1, 1}};
  return panels;
}

std::string GqaCase::id() const {
  std::string text = set + "_" + panel->name;
  if (queries_per_cube > 0) text += fmt::format("_{}", queries_per_cube);
  return text;
}

std::vector<std::pair<std::string, std::string>> GqaCase::params() const {
  return {{"panel", panel->name},
          {"q_heads", std::to_string(scale->q_heads)},
          {"kv_heads", std::to_string(scale->kv_heads)},
          {"head_dim", std::to_string(scale->head_dim)},
          {"context", std::to_string(scale->context)},
          {"s_q", std::to_string(queries_per_cube > 0 ? 0 : panel->s_q)},
          {"queries_per_cube", std::to_string(queries_per_cube)},
          {"dtype", "f16"}};
}

std::vector<GqaCase> gqa_cases() {
  std::vector<GqaCase> cases;
  for (const GqaPanel& panel : gqa_panels()) cases.push_back({"validation", &panel, &kValidation, 0, true});
  for (const GqaPanel& panel : gqa_panels()) cases.push_back({"headline", &panel, &kHeadline, 0, false});
  for (const GqaPanel& panel : gqa_panels()) {
    if (panel.rank_axis != 1) continue;
    for (const std::int64_t queries : kQueriesPerCube) {
      cases.push_back({"scaling", &panel, &kHeadline, queries, false});
    }
  }
  return cases;
}

std::int64_t gqa_ranks(const GqaPanel& panel, const topology::MachineSpec& spec) {
  return panel.rank_axis == 0 ? spec.pes_per_cube() : std::min(kCubesOfGroup, spec.cube_mesh_w);
}

}  // namespace kb::evaluate
