// Reads a sweep file; docs/guides/sweep.md documents its keys.
#pragma once

#include <string>

#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// Configuration Error with all problems of the file, each with file, line, column and key.
SweepSpec read_sweep(const std::string& file);
// Like read_sweep(), but from text; file names in it are relative to `folder`, and `file` is its name in messages.
SweepSpec parse_sweep(const std::string& text, const std::string& file, const std::string& folder);

}  // namespace kb::sweep
