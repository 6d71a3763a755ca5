// Writes the views of a machine to files with fixed names (T-65).
#pragma once

#include <string>
#include <vector>

#include "platform/observe/output_set.h"
#include "platform/views/view.h"

namespace kb::views {

// For example DIR/cube_view.svg.
std::string view_path(const std::string& folder, const std::string& view);

// Draws the views into files of the set, which commits them. Errors are those of OutputFile.
void add_views(observe::OutputSet& files, const topology::LoadedTopology& machine, const std::string& folder,
               const std::vector<std::string>& views);

}  // namespace kb::views
