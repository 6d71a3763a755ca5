// A profile of a simulated machine in the layout of LLMServingSim 2.
#pragma once

#include <string>
#include <vector>

#include "sim/study/cells/profile_grid.h"
#include "sw/profile/launch_tables.h"
#include "sw/profile/served_model.h"

namespace kb::cells {

struct MachineProfile {
  const ProfileGrid& grid;
  profile::LaunchTables& tables;  // with all cells of the grid
  profile::ServedModel model;
  std::string hardware, variant, contexts;  // contexts: how those of decodes are spread
  std::int64_t tp = 1;
  std::vector<std::int64_t> degrees;  // that the folder has, with this one
};

// Configuration Error for a model whose layers LLMServingSim does not know.
void require_profile_layers(const profile::ServedModel& model);

// Every time is that of one layer. Their sum is that of all launches with the gaps between them (M-141): kernels that
// are part of another launch count 1 ns, which that one has less.
std::string dense_csv(const MachineProfile& profile);
std::string per_sequence_csv(const MachineProfile& profile);
std::string attention_csv(const MachineProfile& profile);
std::string meta_yaml(const MachineProfile& profile);

}  // namespace kb::cells
