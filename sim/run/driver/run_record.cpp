#include "sim/run/driver/run_record.h"

namespace kb::sim {

std::string unknown_accesses_text(const UnknownAccesses& unknown) {
  if (unknown.count == 0) return "";
  return std::to_string(unknown.count) +
         (unknown.count == 1 ? " access has indices or a mask" : " accesses have indices or masks") +
         " that data mode off does not know (the first: " + unknown.first + " at " + unknown.at +
         "): their rows are assumed, so that times may differ from those of a run with data; --data replay has the "
         "real "
         "ones";
}

std::vector<SettingRecord> differing_settings(const std::map<std::string, ConfigEntry>& config,
                                              const std::map<std::string, ConfigEntry>& reference) {
  std::vector<SettingRecord> settings;
  for (const bool overrides : {true, false}) {
    for (const auto& [key, entry] : config) {
      const auto normal = reference.find(key);
      const bool same = normal != reference.end() && normal->second.value == entry.value;
      if ((entry.origin == "--set") != overrides || (same && !overrides)) continue;
      settings.push_back({key, entry, std::nullopt});
      if (normal != reference.end()) settings.back().reference = normal->second.value;
    }
  }
  return settings;
}

}  // namespace kb::sim
