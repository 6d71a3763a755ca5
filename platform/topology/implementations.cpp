#include "platform/topology/implementations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "platform/base/error.h"
#include "platform/topology/component_rules.h"

namespace kb::topology {

void Implementations::add(NodeKind kind, const std::string& impl, params::FieldTable fields, Origin origin) {
  const auto engine = engine_of(kind);
  if (kind >= static_cast<NodeKind>(kNodeKinds) || kind == NodeKind::host || (engine && !engines_.has(*engine))) {
    throw Error::configuration(fmt::format(
        "the implementation '{}' is for a kind of block that does not exist; give one of kb::topology::NodeKind",
        impl));
  }
  constexpr std::array<std::string_view, 3> kPrefixes{"custom.", "rtl.", "tlm."};
  const bool named = std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view prefix) {
    return impl.rfind(prefix, 0) == 0 && impl.size() > prefix.size();
  });
  if (!named) {
    throw Error::configuration(
        fmt::format("the implementation '{}' of {} needs a name that begins with custom., e.g. custom.my_{}", impl,
                    node_kind_name(kind), node_kind_name(kind)));
  }
  if (find(kind, impl) != nullptr) {
    throw Error::configuration(fmt::format("the implementation '{}' of {} is registered twice; rename one of them",
                                           impl, node_kind_name(kind)));
  }
  for (const params::Field& field : fields.fields()) {
    if (kind_rule(kind).fields.find(field.name) == nullptr) continue;
    throw Error::configuration(
        fmt::format("the parameter '{}' of '{}' has the name of a parameter that every {} has; rename it", field.name,
                    impl, node_kind_name(kind)));
  }
  entries_.emplace(std::pair(kind, impl), Entry{std::move(fields), origin});
}

const params::FieldTable* Implementations::find(NodeKind kind, const std::string& impl) const {
  const auto found = entries_.find({kind, impl});
  return found == entries_.end() ? nullptr : &found->second.fields;
}

bool Implementations::is_foreign(NodeKind kind, const std::string& impl) const {
  const auto found = entries_.find({kind, impl});
  return found != entries_.end() && found->second.origin == Origin::foreign;
}

std::vector<std::string> Implementations::names(NodeKind kind) const {
  std::vector<std::string> out;
  for (const auto& [key, entry] : entries_) {
    if (key.first == kind) out.push_back(key.second);
  }
  return out;
}

bool Implementations::has_rtl() const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const auto& entry) { return entry.first.second.rfind("rtl.", 0) == 0; });
}

const Implementations& builtin_only() {
  static const Implementations none;
  return none;
}

std::vector<NodeKind> Implementations::kinds_of(const std::string& impl) const {
  std::vector<NodeKind> out;
  for (const auto& [key, entry] : entries_) {
    if (key.second == impl) out.push_back(key.first);
  }
  return out;
}

}  // namespace kb::topology
