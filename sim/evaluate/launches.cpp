#include "sim/evaluate/launches.h"

#include <algorithm>

#include "platform/base/error.h"

namespace kb::evaluate {

LaunchTimes launch_times(const nlohmann::ordered_json& result) {
  LaunchTimes times;
  bool first = true;
  for (const nlohmann::ordered_json& launch : result.at("launches")) {
    const double least = launch.at("pe_exec_ns").at("min"), most = launch.at("pe_exec_ns").at("max");
    times.longest_ns = std::max(times.longest_ns, most);
    times.shortest_ns = first ? least : std::min(times.shortest_ns, least);
    times.pes += launch.at("per_pe").size();
    times.late_pes += launch.at("late_pes").get<std::size_t>();
    first = false;
  }
  if (first) throw Error::model("a run of an evaluation has launched nothing");
  return times;
}

double figure_of(const nlohmann::ordered_json& result, const std::string& name) {
  for (const nlohmann::ordered_json& figure : result.at("figures")) {
    if (figure.at("name") == name) return figure.at("value").get<double>();
  }
  throw Error::model("a run of an evaluation has no figure '" + name + "'");
}

bool verified_all(const nlohmann::ordered_json& result, std::size_t tensors) {
  const nlohmann::ordered_json& rows = result.at("verification");
  return rows.size() >= tensors && result.at("ok").get<bool>();
}

}  // namespace kb::evaluate
