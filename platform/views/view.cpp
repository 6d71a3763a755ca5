#include "platform/views/view.h"

#include "platform/base/error.h"

namespace kb::views {

View view_named(const topology::LoadedTopology& machine, const std::string& name) {
  if (name == "system") return system_view(machine);
  if (name == "sip") return sip_view(machine);
  if (name == "cube") return cube_view(machine);
  if (name == "pe") return pe_view(machine);
  throw Error::model("there is no view '" + name + "'");
}

}  // namespace kb::views
