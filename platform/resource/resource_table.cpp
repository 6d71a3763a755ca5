#include "platform/resource/resource_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"

namespace kb::resource {
namespace {

bool is_name(const std::string& name) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), allowed);
}

void check(const std::string& owner, const Declaration& declared) {
  const auto refuse = [&](const std::string& what) {
    throw Error::configuration(fmt::format("{}: its resource '{}' {}", owner, declared.name, what));
  };
  constexpr auto kNames = "write lower-case letters, digits and underscores";
  if (!is_name(declared.name)) refuse(fmt::format("has no valid name; {}", kNames));
  if (declared.units == 0) refuse("has no units; declare how many can be busy at once");
  if (declared.role == Role::wire || declared.role == Role::tcm || declared.role == Role::state) {
    refuse(fmt::format("has the role '{}', which only the machine's own parts have; choose another, such as memory",
                       word_of(declared.role).name));
  }
  for (auto cause = declared.causes.begin(); cause != declared.causes.end(); ++cause) {
    if (!is_name(cause->name)) refuse(fmt::format("has a cause '{}'; {}", cause->name, kNames));
    const bool again =
        std::any_of(declared.causes.begin(), cause, [&](const Cause& c) { return c.name == cause->name; });
    if (again) refuse(fmt::format("declares the cause '{}' twice", cause->name));
  }
}

}  // namespace

Resource& ResourceTable::declare(NodeId node, const std::string& owner, int group, Declaration declaration) {
  check(owner, declaration);
  std::vector<Resource*>& own = by_node_[node];
  for (const Resource* const other : own) {
    if (other->declaration().name == declaration.name) {
      throw Error::configuration(fmt::format("{}: declares the resource '{}' twice", owner, declaration.name));
    }
  }
  std::vector<record::RecordedResource> recorded;
  for (std::uint32_t unit = 0; recorder_ != nullptr && unit < declaration.units; ++unit) {
    recorded.push_back(recorder_->add_resource(
        {node, declaration.role, declaration.name, NodeId(), unit, group, 1, declaration.units > 1}));
  }
  all_.push_back({node, Resource(std::move(declaration), owner, std::move(recorded), clock_)});
  own.push_back(&all_.back().resource);
  return *own.back();
}

const std::vector<Resource*>& ResourceTable::of(NodeId node) const {
  static const std::vector<Resource*> kNone;
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? kNone : found->second;
}

std::vector<DeclaredUse> ResourceTable::uses() const {
  std::vector<DeclaredUse> uses;
  for (const Declared& one : all_) uses.push_back({one.node, one.resource.declaration(), one.resource.sums()});
  return uses;
}

void ResourceTable::conclude() {
  for (Declared& declared : all_) declared.resource.conclude();
}

}  // namespace kb::resource
