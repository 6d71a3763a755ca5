// A run as one document: the page of `kernbench web` with its answers inside (H-82h).
#pragma once

#include <string>

namespace kb::web {

// HTML that loads nothing; its content security policy allows its own script and style by their hashes alone. `against`
// is the folder of the run that this one is compared with, or empty. Equal runs give equal bytes: the names of the
// folders and what the run cost on the computer are left out. Configuration Errors as those of analysis::RunFolder and
// Against.
std::string render_report(const std::string& folder, const std::string& against = "");

}  // namespace kb::web
