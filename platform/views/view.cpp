#include "platform/views/view.h"

#include "platform/base/error.h"
#include "platform/topology/schema.h"

namespace kb::views {

const std::vector<std::string>& all_view_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = topology::view_names();
    all.insert(all.end(), {"queue", "message"});
    return all;
  }();
  return names;
}

View view_named(const topology::LoadedTopology& machine, const std::string& name) {
  if (name == "system") return system_view(machine);
  if (name == "sip") return sip_view(machine);
  if (name == "cube") return cube_view(machine);
  if (name == "pe") return pe_view(machine);
  if (name == "queue") return queue_view();
  if (name == "message") return message_view();
  throw Error::model("there is no view '" + name + "'");
}

}  // namespace kb::views
