// Fixes the seed of property tests (rapidcheck), which is the clock by default.
#pragma once

#include <cstdlib>

#include "tests/support/shortened.h"

namespace kb::test {

// Called before the first property. RC_PARAMS in the environment overrides it.
inline void fix_property_seed() {
  setenv("RC_PARAMS", cases("seed=20 max_success=200", "seed=20 max_success=40"), 0);
}

}  // namespace kb::test
