// What the readers of user files share: a file's text, and all its problems at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/base/error.h"

namespace kb::topology {

// What to do about a file that cannot be opened, by errno.
std::string remedy_of(int error);

// Reads a regular file of at most yaml::kMaxBytes whole; on failure nothing, with the problem appended. `missing` is
// the remedy when there is none.
std::optional<std::string> read_file(const std::string& file, const std::string& missing,
                                     std::vector<Diagnostic>& diagnostics);

// Configuration Error with all of them in the file's order; what has no place in it comes last.
void throw_if_any(std::vector<Diagnostic> diagnostics);

}  // namespace kb::topology
