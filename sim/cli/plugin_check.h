// What `check --plugin` finds out about a plug-in once it is loaded.
#pragma once

#include <string>
#include <vector>

#include "platform/base/error.h"
#include "sim/cli/workload_library.h"

namespace kb::cli {

// "FILE: ok (...)" and a table of everything that it has registered.
std::string plugin_text(const PluginContents& plugin, const WorkloadLibrary& library);
// What loads and yet cannot be used: a plug-in that registers nothing, an all-reduce whose kernel nobody has.
void check_plugin(const PluginContents& plugin, const WorkloadLibrary& library, std::vector<Diagnostic>& problems);

}  // namespace kb::cli
