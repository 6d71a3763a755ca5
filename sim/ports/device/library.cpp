// The version of the library, for programs that load it.
#include "platform/base/version.h"

extern "C" const char* kernbench_version() {
  return kb::kVersion;
}
