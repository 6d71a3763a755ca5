// Sanitizers slow tests down tenfold. There, random searches draw fewer cases; builds without them draw all.
#pragma once

#include <cstdlib>

namespace kb::test {

// KB_NIGHTLY in the environment asks for all cases, also under sanitizers.
inline bool is_shortened() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return std::getenv("KB_NIGHTLY") == nullptr;
#else
  return false;
#endif
}

template <typename Count>
Count cases(Count all, Count under_sanitizers) {
  return is_shortened() ? under_sanitizers : all;
}

}  // namespace kb::test

// Skips a test of many runs under sanitizers when other tests make runs of the same kind.
#define KB_SKIP_UNDER_SANITIZERS() \
  if (kb::test::is_shortened()) GTEST_SKIP() << "other tests make such runs under sanitizers"
