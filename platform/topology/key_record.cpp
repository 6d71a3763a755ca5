#include "platform/topology/key_record.h"

#include <utility>

namespace kb::topology {

std::string general_key(const std::string& path) {
  std::string out;
  bool index = false;
  for (const char c : path) {
    if (c == ']') index = false;
    if (!index) out += c;
    if (c == '[') index = true;
  }
  return out;
}

void KeyRecord::note(const std::string& path, KeyRule rule) {
  const std::string key = general_key(path);
  if (looked_for_.count(key) != 0) rule.mandatory = false;
  const auto [at, added] = keys_.try_emplace(key, rule);
  if (!added && at->second.fallback != rule.fallback) at->second.fallback.reset();
}

void KeyRecord::note_component(const std::string& path, NodeKind kind, const params::ParamSet& defaults) {
  components_.try_emplace(general_key(path), ComponentRule{kind, defaults});
}

}  // namespace kb::topology
