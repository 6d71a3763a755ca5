// Property tests (rapidcheck) draw their cases from a seed that is the clock by default.
#pragma once

#include <cstdlib>

namespace kb::test {

// Before the first property: the same cases in every run, unless the caller's RC_PARAMS asks for others.
inline void fix_property_seed() {
  setenv("RC_PARAMS", "seed=20 max_success=200", 0);
}

}  // namespace kb::test
