#include "platform/views/view.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "platform/topology/schema.h"

namespace kb::views {

void add_heat(View& view, const std::map<std::string, double>& shares) {
  constexpr double kPercent = 100;
  const auto share_of = [&](const std::string& id) {
    const auto found = shares.find(id);
    return found == shares.end() ? 0 : found->second;
  };
  for (Box& box : view.boxes) {
    box.heat = share_of(box.id);
    box.title += fmt::format("\n{:.1f} % of the time in use", kPercent * *box.heat);
  }
  for (Wire& wire : view.wires) {
    const std::size_t middle = wire.id.find("--");
    const std::string a = wire.id.substr(0, middle), b = wire.id.substr(middle + 2);
    const double there = share_of(wire.id), back = share_of(b + "--" + a);
    wire.heat = std::max(there, back);
    wire.title += fmt::format("\n{:.1f} % of the time in use, back {:.1f} %", kPercent * there, kPercent * back);
  }
}

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
