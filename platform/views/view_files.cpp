#include "platform/views/view_files.h"

#include "platform/views/svg.h"

namespace kb::views {

std::string view_path(const std::string& folder, const std::string& view) {
  return folder + (folder.empty() || folder.back() == '/' ? "" : "/") + view + "_view.svg";
}

void add_views(observe::OutputSet& files, const topology::LoadedTopology& machine, const std::string& folder,
               const std::vector<std::string>& views) {
  for (const std::string& view : views) {
    files.add(view_path(folder, view), "the " + view + " view").write(to_svg(view_named(machine, view)));
  }
}

}  // namespace kb::views
