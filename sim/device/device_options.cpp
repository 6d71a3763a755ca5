#include "sim/device/device_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/error.h"
#include "platform/base/nearest.h"

namespace kb::sim {
namespace {

constexpr double kLongestWindowNs = 1e12;
constexpr std::array<const char*, 3> kDataModes = {"off", "replay", "eager"};

}  // namespace

contract::DataMode data_mode_of(const DeviceConfig& config) {
  const std::string& name = config.data;
  const auto* const found = std::find_if(kDataModes.begin(), kDataModes.end(),
                                         [&](const char* mode) { return std::string_view(mode) == name; });
  if (found == kDataModes.end()) {
    throw Error::configuration("DeviceConfig::data is '" + name +
                               "': " + suggest(name, {kDataModes.begin(), kDataModes.end()}));
  }
  return static_cast<contract::DataMode>(found - kDataModes.begin());
}

void set_waves(const DeviceConfig& config, WaveOptions& waves) {
  const std::vector<std::string> details = {"wire", "flit"};  // in the order of contract::WaveDetail
  const auto detail = std::find(details.begin(), details.end(), config.wave_detail);
  if (detail == details.end()) {
    throw Error::configuration("DeviceConfig::wave_detail is '" + config.wave_detail +
                               "': " + suggest(config.wave_detail, details));
  }
  const double from = config.wave_from_ns, until = config.wave_until_ns;
  if (!(from >= 0.0 && from <= kLongestWindowNs && until >= 0.0 && until <= kLongestWindowNs)) {
    throw Error::configuration(fmt::format(
        "DeviceConfig::wave_from_ns is {} and wave_until_ns {}; both are from 0 to {}", from, until, kLongestWindowNs));
  }
  if (until > 0.0 && until < from) {
    throw Error::configuration(fmt::format("DeviceConfig::wave_until_ns, {}, is before wave_from_ns, {}", until, from));
  }
  waves.detail = static_cast<contract::WaveDetail>(detail - details.begin());
  waves.filters = config.wave_filters;
  waves.filter_option = "the wave filter";
  waves.from = ns_to_fs(from);
  if (until > 0.0) waves.until = ns_to_fs(until);
}

}  // namespace kb::sim
