// Helpers for readers of user files: reading a file, and reporting all its problems at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/base/error.h"

namespace kb::topology {

// Remedy for a file that cannot be opened, by errno.
std::string remedy_of(int error);

// Reads a regular file of at most yaml::kMaxBytes; on failure returns no value and appends the problem. `missing` is
// the remedy when the file does not exist.
std::optional<std::string> read_file(const std::string& file, const std::string& missing,
                                     std::vector<Diagnostic>& diagnostics);

// Configuration Error with all diagnostics in file order; those without a position come last.
void throw_if_any(std::vector<Diagnostic> diagnostics);

}  // namespace kb::topology
