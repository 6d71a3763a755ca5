// Resources that blocks declare, of plug-ins and of outside memories: what accesses waited for.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "platform/contract/share_words.h"
#include "sim/analysis/findings/case.h"

namespace kb::sim {
namespace {

using resource::DeclaredUse;

// The resources of one name in all blocks of one implementation.
struct Group {
  const resource::Declaration* declaration = nullptr;
  std::vector<TimeFs> wait_by_bin{}, wait_by_cause{};
  TimeFs busy = 0_fs, wait = 0_fs;  // in the window
  std::set<NodeId> blocks{};
  std::uint64_t uses = 0;
  std::map<NodeId, TimeFs> wait_by_block{};
  double share = 1.0;  // of the waits that the rule is about

  std::size_t cause() const {
    return static_cast<std::size_t>(std::max_element(wait_by_cause.begin(), wait_by_cause.end()) -
                                    wait_by_cause.begin());
  }
  TimeFs all_waits() const {
    TimeFs all = 0_fs;
    for (const TimeFs time : wait_by_cause) accumulate(all, time);
    return all;
  }
};
using Groups = std::map<std::pair<std::string, std::string>, Group>;  // by implementation and resource

// A memory with banks: what was lost to rows, refresh and changes of direction. That a channel served other bursts, or
// was full of them, says only that it was busy (memory_rules.cpp).
void keep_losses(Group& group) {
  TimeFs in_queue = 0_fs, lost = 0_fs;
  for (std::size_t i = 0; i < group.wait_by_cause.size(); ++i) {
    const resource::CauseClass what = group.declaration->causes[i].what;
    if (what != resource::CauseClass::full) accumulate(in_queue, group.wait_by_cause[i]);
    if (what == resource::CauseClass::full || what == resource::CauseClass::order) group.wait_by_cause[i] = 0_fs;
    accumulate(lost, group.wait_by_cause[i]);
  }
  group.share = in_queue == 0_fs ? 0.0 : fs_to_ns(lost) / fs_to_ns(in_queue);
}

Groups groups_of(const LaunchCase& launch_case, const std::vector<DeclaredUse>& declared) {
  Groups groups;
  std::map<std::pair<NodeId, std::string>, Group*> group_of;
  for (const DeclaredUse& one : declared) {
    const topology::Node& node = launch_case.graph.node(one.node);
    const bool only_order = one.declaration.name == params::kChannelResource && one.declaration.causes.size() == 1;
    if (only_order || one.sums.wait() == 0_fs) continue;  // see memory_rules.cpp
    Group& group = groups[{node.impl, one.declaration.name}];
    group.declaration = &one.declaration;
    group.wait_by_cause.resize(std::max(group.wait_by_cause.size(), one.sums.waits.size()));
    for (std::size_t i = 0; i < one.sums.waits.size(); ++i) accumulate(group.wait_by_cause[i], one.sums.waits[i]);
    group.uses += one.sums.uses;
    group_of[{one.node, one.declaration.name}] = &group;
  }
  const auto found_group = [&](const record::SeriesInfo& series) {
    const auto found = group_of.find({series.node, series.name});
    return found == group_of.end() ? nullptr : found->second;
  };
  launch_case.activity.for_each_if(found_group, [&](const LaunchActivity::Row& row) {
    Group& group = *found_group(*row.series);
    group.wait_by_bin.resize(row.wait.size());
    for (std::size_t bin = 0; bin < row.wait.size(); ++bin) accumulate(group.wait_by_bin[bin], row.wait[bin]);
    accumulate(group.busy, row.sum.busy);
    accumulate(group.wait, row.sum.wait);
    accumulate(group.wait_by_block[row.series->node], row.sum.wait);
    group.blocks.insert(row.series->node);
  });
  for (auto& [key, group] : groups) {
    if (key.second == params::kChannelResource) keep_losses(group);
  }
  return groups;
}

// No more can be saved than the time in which anything waited.
TimeFs bound_of(const LaunchCase& launch_case, const Group& group) {
  TimeFs waited = 0_fs;
  for (std::size_t bin = 0; bin < group.wait_by_bin.size(); ++bin)
    waited += std::min(group.wait_by_bin[bin], launch_case.activity.bin_width(bin));
  const TimeFs messages = launch_case.share(contract::TimeShare::dependency);
  return part(std::min(waited, launch_case.exposed() + messages), group.share);
}

// The causes of a fifth of the waits or more, except the first one.
std::string other_causes(const Group& group) {
  constexpr std::int64_t kLeastPart = 5;
  std::string text;
  for (std::size_t i = 0; i < group.wait_by_cause.size(); ++i) {
    if (i == group.cause() || group.wait_by_cause[i] < group.all_waits() / kLeastPart) continue;
    const resource::Cause& cause = group.declaration->causes[i];
    text += fmt::format(", {} because {} ({})", percent(group.wait_by_cause[i], group.all_waits()), cause.sentence,
                        cause.name);
  }
  return text;
}

void add_finding(const LaunchCase& launch_case, const std::string& impl, const Group& group, Findings& findings) {
  const resource::Declaration& declared = *group.declaration;
  const resource::Cause& cause = declared.causes[group.cause()];
  const auto hottest = std::max_element(group.wait_by_block.begin(), group.wait_by_block.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  Finding finding = launch_case.finding(
      "resource_waits", bound_of(launch_case, group),
      fmt::format("accesses wait for the {} of {}: {} ({})", declared.name, impl, cause.sentence, cause.name));
  finding.evidence.push_back(
      fmt::format("in the run {} uses in {} blocks waited {} on average, {} of it for this cause{}", group.uses,
                  group.blocks.size(), ns_text(group.all_waits() / std::max<std::uint64_t>(1, group.uses)),
                  percent(group.wait_by_cause[group.cause()], group.all_waits()), other_causes(group)));
  if (hottest->second / 2 >= group.wait / group.blocks.size() && group.blocks.size() > 1) {
    finding.evidence.push_back(fmt::format("{} of what this launch waited is at {}",
                                           percent(hottest->second, group.wait),
                                           launch_case.graph.node(hottest->first).id));
  }
  finding.remedy = !cause.remedy.empty() ? cause.remedy
                                         : "spread accesses so that fewer meet there (other addresses, another pitch), "
                                           "or change the block's parameters";
  findings.push_back(std::move(finding));
}

}  // namespace

void find_resource_causes(const LaunchCase& launch_case, const std::vector<DeclaredUse>& declared, Findings& findings) {
  for (const auto& [key, group] : groups_of(launch_case, declared)) {
    if (group.wait > 0_fs && group.all_waits() > 0_fs) add_finding(launch_case, key.first, group, findings);
  }
}

}  // namespace kb::sim
