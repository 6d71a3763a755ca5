// Contents of a folder.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kb::robustness {

// Entries of a folder by path: "dir", "link TARGET", or "file SIZE HASH".
using Snapshot = std::map<std::string, std::string>;

Snapshot snapshot(const std::string& folder);
std::vector<std::string> new_files(const Snapshot& before, const Snapshot& after);  // without folders
std::vector<std::string> changed(const Snapshot& before, const Snapshot& after);    // with other contents, or deleted

}  // namespace kb::robustness
