// A run as one document: the page of `kernbench web` with its answers inside (H-82h).
#pragma once

#include <string>

namespace kb::web {

// HTML that loads no other file; its content security policy allows only its own script and style, by their hashes.
// `against` is the folder of the run to compare with; empty: none. Equal runs give equal bytes, because names of
// folders and host times are omitted. Throws the configuration Errors of analysis::RunFolder and ComparisonRun.
std::string render_report(const std::string& folder, const std::string& against = "");

}  // namespace kb::web
