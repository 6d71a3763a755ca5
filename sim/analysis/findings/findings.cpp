#include "sim/analysis/findings/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>

#include "platform/contract/share_words.h"
#include "platform/observe/text_table.h"
#include "sim/analysis/findings/case.h"

namespace kb::sim {
namespace {

constexpr double kLeastGain = 0.03;

// What differs from others of its kind comes before what gains less than twice as much. What names no resource comes
// behind what gains seven tenths of it.
constexpr std::string_view kFaults[] = {"slow_link", "slow_slice", "barrier_imbalance"};
constexpr std::string_view kGeneral[] = {"missing_overlap", "waiting_for_messages", "compute_bound"};

double rank_of(const Finding& finding) {
  const auto is_of = [&](const auto& rules) {
    return std::find(std::begin(rules), std::end(rules), finding.rule) != std::end(rules);
  };
  const double gain = fs_to_ns(finding.own_gain()) / fs_to_ns(finding.total);
  return is_of(kFaults) ? 2 * gain : is_of(kGeneral) ? 0.7 * gain : gain;
}

// Launches of several SIPs may overlap, so that the gaps are counted along their union.
void find_host_causes(const std::deque<LaunchRecord>& launches, Findings& findings) {
  std::vector<std::pair<TimeFs, TimeFs>> spans;
  for (const LaunchRecord& launch : launches) {
    if (launch.completed != kNever) spans.emplace_back(launch.submitted, launch.completed);
  }
  if (spans.size() < 2) return;
  std::sort(spans.begin(), spans.end());
  TimeFs gaps = 0_fs, longest = 0_fs, at = 0_fs, end = spans.front().second;
  std::size_t count = 0;
  for (const auto& [begin, completed] : spans) {
    if (begin > end) {
      gaps += begin - end;
      ++count;
      if (begin - end > longest) {
        longest = begin - end;
        at = end;
      }
    }
    end = std::max(end, completed);
  }
  Finding finding;
  finding.rule = "host_bound";
  finding.gain = gaps;
  finding.total = end - spans.front().first;
  finding.headline = "the host keeps the device waiting between launches";
  finding.evidence = {
      fmt::format("from the first launch to the end of the last, {} of {} pass without a kernel, in {} gaps; "
                  "the longest, {}, begins at {}",
                  percent(gaps, finding.total), ns_text(finding.total), count, ns_text(longest), ns_text(at))};
  finding.remedy = "copy while a kernel runs, keep tensors on the device between launches, or do more in one launch";
  findings.push_back(std::move(finding));
}

void add_causes_of(const LaunchRecord& launch, const RunObservations& run, Findings& findings) {
  const LaunchRecord::LastEndingPe& pe = *launch.last_pe();
  const LaunchActivity activity(run.recorder, record::ActivityRecorder::group_of(launch.sip),
                                {launch.start, pe.start + pe.exec});
  LaunchCase launch_case{launch,    pe,           activity,   run.graph,    run.costs,
                         run.waits, run.launches, run.counts, run.resources};
  launch_case.spans = spans_elsewhere(launch_case);
  launch_case.elsewhere = activity.shares(run.graph, launch_case.spans);
  find_memory_causes(launch_case, findings);
  if (!activity.empty()) find_resource_causes(launch_case, run.declared, findings);
  if (!activity.empty()) find_wire_causes(launch_case, findings);
  find_header_causes(launch_case, findings);
  find_barrier_causes(launch_case, findings);
  find_message_causes(launch_case, findings);
  find_pe_causes(launch_case, findings);
  find_delays_of_commands(launch_case, findings);
  find_launches_beside(launch_case, findings);
}

// Leaves out what gains little, and puts the worst first.
void rank(Findings& findings) {
  const auto is_small = [](const Finding& finding) {
    return fs_to_ns(finding.gain) < kLeastGain * fs_to_ns(finding.total) || finding.gain <= 0_fs;
  };
  findings.erase(std::remove_if(findings.begin(), findings.end(), is_small), findings.end());
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return rank_of(a) > rank_of(b); });
}

}  // namespace

TimeFs explained_by(const Findings& findings, std::initializer_list<const char*> rules) {
  TimeFs most = 0_fs;
  for (const Finding& other : findings) {
    if (std::find(rules.begin(), rules.end(), other.rule) != rules.end()) most = std::max(most, other.own_gain());
  }
  return most;
}

std::string percent(TimeFs part, TimeFs whole) {
  return whole > 0_fs ? observe::fixed(100.0 * fs_to_ns(part) / fs_to_ns(whole), 0) + " %" : "0 %";
}

std::string ns_text(TimeFs time) {
  return observe::fixed(fs_to_ns(time), 1) + " ns";
}

TimeFs LaunchCase::slack() const {
  return std::min(slack_of_transfers(), std::max(0_fs, pe.exec - pe.shares.of(contract::PeResource::compute)));
}

TimeFs LaunchCase::slack_of_transfers() const {
  const auto first = pe.shares.busy.begin() + static_cast<std::ptrdiff_t>(contract::PeResource::read_link),
             last = pe.shares.busy.begin() + static_cast<std::ptrdiff_t>(contract::PeResource::read_channel);
  return std::max(0_fs, pe.exec - *std::max_element(first, last));
}

// No more than the PE waited for others.
TimeFs LaunchCase::share_on_path(contract::TimeShare which) const {
  const TimeFs other = elsewhere.empty() ? 0_fs : elsewhere[contract::share_index(which)];
  return share(which) + std::min(other, share(contract::TimeShare::dependency));
}

TimeFs LaunchCase::exposed_elsewhere() const {
  if (elsewhere.empty()) return 0_fs;
  return std::min(elsewhere[contract::share_index(contract::TimeShare::dma)] +
                      elsewhere[contract::share_index(contract::TimeShare::channel_busy)],
                  share(contract::TimeShare::dependency));
}

TimeFs LaunchCase::computing_elsewhere() const {
  if (elsewhere.empty()) return 0_fs;
  return std::accumulate(elsewhere.begin(), elsewhere.begin() + engine::kMaxEngines, 0_fs);  // engines come first
}

Finding LaunchCase::finding(const char* rule, TimeFs gain, std::string headline, int least) const {
  Finding made;
  made.rule = rule;
  made.launch = launch.id;
  made.gain = std::min(gain, total() - total() / least);
  made.total = total();
  made.headline = std::move(headline);
  return made;
}

const LaunchRecord* longest_launch(const std::deque<LaunchRecord>& launches) {
  const LaunchRecord* longest = nullptr;
  for (const LaunchRecord& launch : launches) {
    if (launch.last_pe() == nullptr) continue;
    const auto duration = [](const LaunchRecord& l) { return l.completed - l.submitted; };
    if (longest == nullptr || duration(launch) > duration(*longest)) longest = &launch;
  }
  return longest;
}

// A chain of waits may lead back to messages from before the longest launch, and to the launches that sent them.
record::ActivityRecorder::Window time_of_causes(const std::deque<LaunchRecord>& launches, const OperationCosts* costs) {
  const LaunchRecord* const longest = longest_launch(launches);
  if (longest == nullptr) return {0_fs, 0_fs};
  const TimeFs end = longest->completed;
  TimeFs sent = longest->submitted;
  if (costs != nullptr) {
    for (const MessageReceive& receive : costs->receives()) {
      if (receive.end > longest->submitted && receive.start < end) sent = std::min(sent, receive.sent);
    }
  }
  TimeFs begin = sent;
  for (const LaunchRecord& launch : launches) {
    if (launch.submitted < end && launch.completed > sent) begin = std::min(begin, launch.submitted);
  }
  return {begin, end};
}

std::vector<Finding> find_causes(const RunObservations& run) {
  Findings findings;
  find_host_causes(run.launches, findings);
  const LaunchRecord* const longest = longest_launch(run.launches);
  if (longest != nullptr) add_causes_of(*longest, run, findings);
  rank(findings);
  if (longest == nullptr) return findings;
  std::vector<const LaunchRecord*> beside = launches_beside(*longest, run.launches);
  if (beside.size() > kLaunchesBeside) beside.resize(kLaunchesBeside);
  for (const LaunchRecord* launch : beside) {
    Findings of_launch;
    add_causes_of(*launch, run, of_launch);
    rank(of_launch);
    for (Finding& finding : of_launch)
      finding.headline = fmt::format("in launch {} ({}): {}", launch->id, launch->name(), finding.headline);
    std::move(of_launch.begin(), of_launch.end(), std::back_inserter(findings));
  }
  return findings;
}

}  // namespace kb::sim
