// Profiles in the layout of LLMServingSim 2: a folder with meta.yaml and tp1/, tp2/, ...
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/error.h"
#include "sw/profile/kernel_profile.h"

namespace kb::requests {

struct Bundle {
  profile::KernelProfile profile;
  std::vector<Diagnostic> warnings;
};

// Reads every tp<N> folder; a folder that has dense.csv itself counts as tp1 (M-60). Configuration Error with all
// problems: no meta.yaml, no tables of `tp`, a wrong header, a cell that is no number or there twice.
Bundle read_bundle(const std::string& folder, std::int64_t tp);

// Skew fits by meta.yaml: of each degree that has one and none when they are switched off (M-65).
void read_meta(const std::string& folder, profile::KernelProfile& profile, class Problems& problems);

}  // namespace kb::requests
