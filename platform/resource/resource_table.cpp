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

void check(const ResourceTable::Owner& owner, const Declaration& declared) {
  const auto refuse = [&](const std::string& what) {
    throw Error::configuration(fmt::format("{}: its resource '{}' {}", owner.name, declared.name, what));
  };
  constexpr auto kNames = "write lower-case letters, digits and underscores";
  if (!is_name(declared.name)) refuse(fmt::format("has no valid name; {}", kNames));
  if (declared.units == 0) refuse("has no units; declare how many can be busy at once");
  if (declared.role == Role::wire || declared.role == Role::state || (declared.role == Role::tcm && owner.foreign)) {
    refuse(fmt::format("has the role '{}', which only the machine's own parts have; choose another, such as memory",
                       word_of(declared.role).name));
  }
  for (const auto& energy : {declared.energy_per_use, declared.energy_per_byte}) {
    if (!energy) continue;
    if (energy->low < 0 || energy->low > energy->value || energy->value > energy->high) {
      refuse("has a coefficient of energy whose range does not hold its value; give 0 <= low <= value <= high");
    }
    if (energy->source.empty()) refuse("has a coefficient of energy without a source; say where the value is from");
  }
  for (auto cause = declared.causes.begin(); cause != declared.causes.end(); ++cause) {
    if (!is_name(cause->name)) refuse(fmt::format("has a cause '{}'; {}", cause->name, kNames));
    const bool again =
        std::any_of(declared.causes.begin(), cause, [&](const Cause& c) { return c.name == cause->name; });
    if (again) refuse(fmt::format("declares the cause '{}' twice", cause->name));
  }
}

}  // namespace

ResourceTable::ResourceTable(const Observers& observers, Clock clock)
    : observers_(observers), clock_(std::move(clock)) {
  if (observers_.signals != nullptr) observers_.signals->add_late(*this);
}

Resource::Viewers ResourceTable::viewers_of(const std::string& owner, const Declaration& declaration) const {
  Resource::Viewers viewers;
  if (observers_.signals != nullptr) {
    auto waves = std::make_unique<ResourceWaves>(*observers_.signals, owner, declaration);
    if (waves->wanted()) viewers.waves = std::move(waves);
  }
  constexpr auto kLevel = contract::LogLevel::debug;  // a transaction may have many uses
  if (observers_.log != nullptr && observers_.log->level_of(owner) == kLevel) {
    viewers.log = [log = observers_.log, owner, clock = clock_](const std::string& sentence) {
      log->write(kLevel, clock(), owner, sentence);
    };
  }
  return viewers;
}

Resource& ResourceTable::declare(const Owner& owner, Declaration declaration) {
  check(owner, declaration);
  std::vector<Resource*>& own = by_node_[owner.node];
  for (const Resource* const other : own) {
    if (other->declaration().name == declaration.name) {
      throw Error::configuration(fmt::format("{}: declares the resource '{}' twice", owner.name, declaration.name));
    }
  }
  std::vector<record::RecordedResource> recorded;
  for (std::uint32_t unit = 0; observers_.recorder != nullptr && unit < declaration.units; ++unit) {
    recorded.push_back(observers_.recorder->add_resource(
        {owner.node, declaration.role, declaration.name, NodeId(), unit, owner.group, 1, declaration.units > 1}));
  }
  Resource::Viewers viewers = viewers_of(owner.name, declaration);
  all_.push_back(
      {owner.node, Resource(std::move(declaration), owner.name, std::move(recorded), clock_, std::move(viewers))});
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

TimeFs ResourceTable::report_until(TimeFs now) {
  TimeFs until = now;
  for (Declared& declared : all_) {
    const Told told = declared.resource.declaration().told;
    if (!declared.resource.has_waves() || told == Told::by_block) continue;
    const TimeFs final_until = told == Told::ahead ? now : std::max(now - Resource::kMostLate, 0_fs);
    declared.resource.show_until(final_until);
    until = std::min(until, final_until);
  }
  return until;
}

void ResourceTable::conclude() {
  for (Declared& declared : all_) declared.resource.conclude();
}

}  // namespace kb::resource
