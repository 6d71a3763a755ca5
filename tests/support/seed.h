// Fixes the seed of property tests (rapidcheck), which is the clock by default.
#pragma once

#include <cstdlib>

namespace kb::test {

// Called before the first property. RC_PARAMS in the environment overrides it.
inline void fix_property_seed() {
  setenv("RC_PARAMS", "seed=20 max_success=200", 0);
}

}  // namespace kb::test
