// The views of a machine as files of fixed names (T-65).
#pragma once

#include <string>
#include <vector>

#include "platform/observe/output_set.h"
#include "platform/views/view.h"

namespace kb::views {

// DIR/cube_view.svg and its like.
std::string view_path(const std::string& folder, const std::string& view);

// Draws the views into files of the set, which commits them. Errors as those of OutputFile.
void add_views(observe::OutputSet& files, const topology::LoadedTopology& machine, const std::string& folder,
               const std::vector<std::string>& views);

}  // namespace kb::views
