// Reads a sweep file; docs/guides/sweep.md documents its keys.
#pragma once

#include <string>

#include "sim/study/sweep/sweep_spec.h"

namespace kb::sweep {

// Configuration Error with every problem of the file, each with file, line, column and key.
SweepSpec read_sweep(const std::string& file);
// The same from text; names of files in it are relative to `folder`, and `file` stands for it in messages.
SweepSpec parse_sweep(const std::string& text, const std::string& file, const std::string& folder);

}  // namespace kb::sweep
