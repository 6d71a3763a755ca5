#include "sim/ports/device/device_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "platform/base/error.h"
#include "platform/base/nearest.h"

namespace kb::sim {
namespace {

constexpr double kLongestWindowNs = 1e12;

// The enumeration value with this name; `names` is in the order of the enumeration.
template <typename Value>
Value value_of(const char* member, const std::string& name, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw Error::configuration(fmt::format("DeviceConfig::{} is '{}': {}", member, name, suggest(name, names)));
  }
  return static_cast<Value>(found - names.begin());
}

}  // namespace

contract::DataMode data_mode_of(const DeviceConfig& config) {
  return value_of<contract::DataMode>("data", config.data, {"off", "replay", "eager"});
}

OnFailure on_failure_of(const DeviceConfig& config) {
  return value_of<OnFailure>("on_failure", config.on_failure, {"error", "warning"});
}

void set_waves(const DeviceConfig& config, WaveOptions& waves) {
  const double from = config.wave_from_ns, until = config.wave_until_ns;
  if (!(from >= 0.0 && from <= kLongestWindowNs && until >= 0.0 && until <= kLongestWindowNs)) {
    throw Error::configuration(fmt::format(
        "DeviceConfig::wave_from_ns is {} and wave_until_ns {}; both are from 0 to {}", from, until, kLongestWindowNs));
  }
  if (until > 0.0 && until < from) {
    throw Error::configuration(fmt::format("DeviceConfig::wave_until_ns, {}, is before wave_from_ns, {}", until, from));
  }
  waves.detail = value_of<contract::WaveDetail>("wave_detail", config.wave_detail, {"wire", "flit"});
  waves.filters = config.wave_filters;
  waves.filter_option = "the wave filter";
  waves.strings = config.wave_strings;
  waves.from = ns_to_fs(from);
  if (until > 0.0) waves.until = ns_to_fs(until);
}

}  // namespace kb::sim
