// Which attention is measured (K-87, K-88, K-92).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platform/topology/topology.h"

namespace kb::evaluate {

struct GqaPanel {
  const char* name;  // of the workload `attention`
  const char* text;
  const char* kernel;
  const char* wiring;
  bool prefill;
  int rank_axis;
  std::int64_t s_q;
};

struct GqaScale {
  const char* name;  // "validation", "headline"
  std::int64_t q_heads, kv_heads, head_dim, context;
};

struct GqaCase {
  std::string set;
  const GqaPanel* panel;
  const GqaScale* scale;
  std::int64_t queries_per_cube;  // 0 = by the panel's s_q
  bool verify;
  std::string id() const;
  std::vector<std::pair<std::string, std::string>> params() const;
};

inline constexpr std::int64_t kGqaSlotBytes = 4096;
inline constexpr std::int64_t kGqaItem = 2;  // bytes of an f16

const std::vector<GqaPanel>& gqa_panels();
std::vector<GqaCase> gqa_cases();
// Ranks that share a K/V head.
std::int64_t gqa_ranks(const GqaPanel& panel, const topology::MachineSpec& spec);

}  // namespace kb::evaluate
