// Cases with damaged inputs: topology, collective configuration, traffic, command lines, data files.
#pragma once

#include <cstdint>

#include "tests/robustness/attack_case.h"
#include "tests/robustness/seeds.h"

namespace kb::robustness {

// The case depends only on the seed and the index.
AttackCase input_case(const Seeds& seeds, std::uint64_t seed, std::uint64_t index);

}  // namespace kb::robustness
