#include "sim/study/why/machine_use.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "platform/contract/share_words.h"
#include "platform/engine/pe_time.h"
#include "sim/analysis/findings/findings.h"
#include "sim/analysis/findings/limiter.h"
#include "sim/study/why/code_use.h"

namespace kb::why {
namespace {

using topology::Graph;

constexpr std::string_view kWirePrefix = "to_";

// Whether it is a wire, its kind of link or block, and its name.
struct Named {
  bool is_wire = false;
  int kind = 0;
  std::string name;
};

std::optional<Named> name_of(const Graph& graph, const sim::ResourceName& resource) {
  const auto node = graph.find_node(resource.block);
  if (!node) return std::nullopt;
  if (resource.resource.compare(0, kWirePrefix.size(), kWirePrefix) == 0) {
    const std::string peer = resource.resource.substr(kWirePrefix.size());
    const auto to = graph.find_node(peer);
    const auto edge = to ? graph.find_edge(*node, *to) : std::nullopt;
    if (edge) return Named{true, static_cast<int>(graph.edge(*edge).kind), resource.block + " -> " + peer};
  }
  return Named{false, static_cast<int>(graph.node(*node).kind), resource.block};
}

// The members that waited longest come first, then those that were busy longest.
void keep_hottest(ClassUse& use) {
  std::stable_sort(use.members.begin(), use.members.end(), [](const MemberUse& a, const MemberUse& b) {
    return a.wait != b.wait ? a.wait > b.wait : a.busy > b.busy;
  });
  if (use.members.size() > ClassUse::kMostMembers) use.members.resize(ClassUse::kMostMembers);
}

// The limiter of the launch; the largest part of its time when the limiter is a slice without its relief.
std::string limiter_text(const sim::LaunchRecord& longest) {
  const sim::LaunchRecord::LastEndingPe& pe = *longest.last_pe();
  const auto limiter = sim::limiter_of(longest);
  if (!limiter || limiter->time <= pe.exec) return limiter ? limiter->text(pe.exec) : "";
  std::size_t most = 0;
  for (const std::size_t share : contract::share_indices()) {
    if (pe.shares.time[share] > pe.shares.time[most]) most = share;
  }
  return sim::Limiter{"", std::string(contract::word_of(most).phrase), pe.shares.time[most]}.text(pe.exec);
}

using ByName = std::map<std::string, std::size_t>;

// The busiest resource of the PE that ended last: no shorter time is possible without it. Channels wait for others.
void add_bound(const sim::LaunchRecord& longest, Measure& measure) {
  const auto& busy = longest.last_pe()->shares.busy;
  const auto last = busy.begin() + static_cast<std::ptrdiff_t>(contract::PeResource::read_channel);
  // A relieved slice is told to be busy for as long as without its relief.
  const TimeFs exec = longest.last_pe()->exec;
  const auto most = std::max_element(
      busy.begin(), last, [exec](TimeFs a, TimeFs b) { return (a > exec ? 0_fs : a) < (b > exec ? 0_fs : b); });
  if (*most > exec) return;
  measure.bound = *most;
  measure.bound_name = std::string(word_of(static_cast<contract::PeResource>(most - busy.begin())).phrase);
}

void add_formula(const sim::RunRecord& record, Measure& measure) {
  TimeFs sum = 0_fs;
  for (const sim::CollectiveRecord& one : record.collectives) {
    const auto least = std::min_element(one.estimates.begin(), one.estimates.end(),
                                        [](const auto& a, const auto& b) { return a.ns < b.ns; });
    if (least == one.estimates.end()) return;
    sum += ns_to_fs(least->ns);
    measure.bound_name = "the formula of " + least->algorithm;
  }
  if (!record.collectives.empty()) measure.bound = sum;
}

}  // namespace

std::vector<ClassUse> machine_use(const Graph& graph, const sim::RunRecord& record) {
  std::map<std::pair<bool, int>, std::pair<ClassUse, ByName>> classes;  // blocks behind wires
  std::vector<std::pair<ClassUse*, std::size_t>> place_of(record.resources.size());
  for (std::size_t i = 0; i < record.resources.size(); ++i) {
    const std::optional<Named> named = name_of(graph, record.resources[i]);
    if (!named) continue;
    auto& [use, by_name] = classes[{!named->is_wire, named->kind}];
    use.wires = named->is_wire;
    use.kind = named->is_wire ? edge_kind_name(static_cast<topology::EdgeKind>(named->kind))
                              : node_kind_name(static_cast<topology::NodeKind>(named->kind));
    const auto [found, is_new] = by_name.emplace(named->name, use.members.size());
    if (is_new) use.members.push_back({named->name, 0_fs, 0_fs});
    place_of[i] = {&use, found->second};
  }
  for (const sim::LaunchRecord& launch : record.launches) {
    for (const sim::ResourceUse& one : launch.uses) {
      const auto [use, member] = place_of[one.resource];
      if (use == nullptr) continue;
      accumulate(use->busy, one.busy);
      accumulate(use->wait, one.wait);
      accumulate(use->members[member].busy, one.busy);
      accumulate(use->members[member].wait, one.wait);
    }
  }
  std::vector<ClassUse> uses;
  for (auto& [key, entry] : classes) {
    keep_hottest(entry.first);
    uses.push_back(std::move(entry.first));
  }
  return uses;
}

Measure measure_of(const sim::RunRecord& record, const Graph& graph, bool account) {
  Measure measure;
  measure.ok = record.ok;
  measure.code = record.error_code;
  measure.cause = record.error_message;
  measure.unknown_accesses = record.unknown_accesses;
  if (!record.ok) return measure;
  TimeFs begin = kNever, end = 0_fs;
  for (const sim::LaunchRecord& launch : record.launches) {
    begin = std::min(begin, launch.submitted);
    end = std::max(end, launch.completed);
    if (account) measure.launches.push_back({launch.id, launch.submitted, launch.completed});
  }
  measure.time = record.launches.empty() ? 0_fs : end - begin;
  if (!account) return measure;
  if (const sim::LaunchRecord* const longest = sim::longest_launch(record.launches)) {
    measure.limiter = limiter_text(*longest);
    add_bound(*longest, measure);
  }
  add_formula(record, measure);
  measure.uses = machine_use(graph, record);
  measure.calls = code_use(record);
  return measure;
}

}  // namespace kb::why
