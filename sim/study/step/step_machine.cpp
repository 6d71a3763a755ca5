#include "sim/study/step/step_machine.h"

#include <fmt/format.h>

#include <set>

#include "platform/base/error.h"
#include "platform/params/hbm_banked_params.h"

namespace kb::step {

StepMachines step_machines(const LoadMachine& load, std::int64_t ranks) {
  topology::LoadedTopology given = load({});
  const std::int64_t sips = given.graph.spec.sip_count;
  const bool ring = given.graph.spec.sip_topology == SipTopology::ring_1d;
  if (!ring && sips != ranks && ranks > 1) {
    throw Error::configuration(fmt::format(
        "--tp {}: the machine has a grid of {} SIPs, all of which have to share the model; use --tp {}, or change the "
        "grid: --set system.sips.w=... --set system.sips.h=...",
        ranks, sips, sips));
  }
  std::vector<std::pair<std::string, std::string>> single{{"system.sips.count", "1"}};
  if (!ring) single.insert(single.end(), {{"system.sips.w", "1"}, {"system.sips.h", "1"}});
  StepMachines machines;
  machines.one = sips == 1 ? given : load(single);
  machines.all = sips == ranks ? std::move(given) : load({{"system.sips.count", std::to_string(ranks)}});
  return machines;
}

std::optional<std::string> hidden_state(const topology::LoadedTopology& machine) {
  std::set<std::string> seen;
  for (const topology::Node& node : machine.graph.nodes) {
    if (!seen.insert(node.impl).second) continue;
    if (node.foreign) {
      return fmt::format("blocks '{}' do not come with kernbench: their time may depend on what was before", node.impl);
    }
    if (node.impl == params::kHbmBanked) {
      return "banks have open rows and refreshes, so that a launch depends on what was before and when";
    }
  }
  return std::nullopt;
}

}  // namespace kb::step
