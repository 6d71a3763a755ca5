// Signals at the pins of RTL blocks, for observers.
#include <fmt/format.h>

#include "modules/rtl/pin_sharing.h"
#include "platform/base/nearest.h"
#include "platform/elab/platform.h"
#include "sim/ports/device/device_impl.h"

namespace kb {

sc_core::sc_module& Device::pins(const std::string& node) {
  return impl_->pins(node);
}

sc_core::sc_module& Device::Impl::pins(const std::string& node) {
  const auto& bundles = platform_->context().shared<modules::PinSharing>().bundles;
  const auto found = bundles.find(node);
  if (found != bundles.end()) return *found->second;
  std::vector<std::string> names;
  for (const auto& entry : bundles) names.push_back(entry.first);
  throw Error::configuration(
      fmt::format("{} shows no pins of '{}': {}", device_.name(), node,
                  names.empty() ? "no block of the machine has `impl: rtl.<name>` and `attrs: { pins: true }`"
                                : suggest(node, names)));
}

}  // namespace kb
