// Checks of `check --plugin` on a loaded plug-in.
#pragma once

#include <string>
#include <vector>

#include "platform/base/error.h"
#include "sim/cli/workload_library.h"

namespace kb::cli {

// "FILE: ok (...)" and a table of everything that the plug-in registered.
std::string plugin_text(const PluginContents& plugin, const WorkloadLibrary& library);
// Reports a plug-in that loads but is not usable: it registers nothing, or an all-reduce with an unknown kernel.
void check_plugin(const PluginContents& plugin, const WorkloadLibrary& library, std::vector<Diagnostic>& problems);

}  // namespace kb::cli
