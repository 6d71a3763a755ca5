#include "sim/study/why/remedy.h"

#include <fmt/format.h>

#include <algorithm>

namespace kb::why {
namespace {

constexpr const char* kAttrs = "cube.components.hbm_ctrl.attrs.";
constexpr const char* kHashes[] = {"channel_hash", "hash"};  // of pseudo-channels; of banks, if the memory has some

// Other values of a parameter: those that it declares, its other choices, or half and double.
std::vector<std::string> neighbours(const sw::ParameterValue& value) {
  const sw::Parameter& declared = value.declared;
  std::vector<std::string> values = declared.trials.empty() ? declared.choices : declared.trials;
  if (values.empty() && declared.type == sw::ParameterType::integer) {
    const long long now = std::stoll(value.value);
    for (const long long near : {now / 2, now * 2}) {
      const auto real = static_cast<double>(near);
      if (near > 0 && real >= declared.minimum && real <= declared.maximum) values.push_back(std::to_string(near));
    }
  }
  values.erase(std::remove(values.begin(), values.end(), value.value), values.end());
  return values;
}

}  // namespace

std::vector<Remedy> remedies_of(const sw::Params& params, const topology::LoadedTopology& machine) {
  std::vector<Remedy> remedies;
  for (const sw::ParameterValue& value : params.values()) {
    if (!value.declared.tunes) continue;
    for (const std::string& other : neighbours(value)) {
      const std::string now = value.value.empty() ? "as configured" : value.value;
      remedies.push_back({fmt::format("{} {} -> {}", value.declared.name, now, other),
                          {{{Change::Where::parameter, value.declared.name, "", other}}, false}});
    }
  }
  for (const char* const name : kHashes) {
    const auto hash = machine.config.find(kAttrs + std::string(name));
    if (hash == machine.config.end() || hash->second.value != "none") continue;
    remedies.push_back({fmt::format("{} none -> xor", name), {{{Change::Where::key, hash->first, "", "xor"}}, false}});
  }
  return remedies;
}

}  // namespace kb::why
