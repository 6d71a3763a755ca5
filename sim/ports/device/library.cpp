// The version of the library itself, for who loads it.
#include "platform/base/version.h"

extern "C" const char* kernbench_version() {
  return kb::kVersion;
}
