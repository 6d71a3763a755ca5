#include "sim/run/driver/run_end.h"

#include <algorithm>
#include <set>
#include <utility>

#include "modules/fabric/foreign_links.h"
#include "modules/pe/pe_protocol_checker.h"
#include "platform/elab/foreign_call.h"
#include "sim/run/driver/deadlock.h"
#include "sim/run/driver/host_time_limit.h"
#include "sim/run/driver/wait_table.h"

namespace kb::sim {
namespace {

constexpr std::size_t kShownLeftovers = 4;

// True when the run was ended early; its waits are then not a deadlock.
bool was_cut(const elab::EventScheduler& scheduler) {
  return scheduler.limit_reached() || scheduler.end_requested() || !scheduler.passed_end().empty() ||
         !scheduler.given_up().empty();
}

// The reason why a run did not reach its end.
Error lack_of_progress(const elab::EventScheduler& scheduler, const HostTimeLimit* host_limit) {
  const auto error = [](const char* code, const std::string& text) {
    return Error(ErrorFamily::no_progress, code, text);
  };
  const std::string now = format_ns(scheduler.now());
  const std::string& place = scheduler.given_up();
  if (host_limit != nullptr && scheduler.end_requested()) {
    return error("HOST_TIME_LIMIT", host_limit->headline() + " at " + now +
                                        " ns of simulated time with work outstanding" +
                                        (place.empty() ? "" : "; " + place));
  }
  if (scheduler.limit_reached() || (!place.empty() && scheduler.now() >= scheduler.time_limit())) {
    return error("TIME_LIMIT", "the time limit was reached at " + now + " ns with work outstanding" +
                                   (place.empty() ? "" : "; " + place));
  }
  if (!place.empty()) return error("NO_PROGRESS", "no simulated time passes any more at " + now + " ns: " + place);
  return error("NO_PROGRESS", "nothing can happen any more at " + now + " ns but work is outstanding");
}

// A failed kernel is the cause of waits for it.
std::optional<Error> first_failed_launch(const HostPort& host) {
  const LaunchRecord* first = nullptr;
  for (const LaunchRecord& launch : host.launches()) {
    if (launch.ok || launch.completed == kNever) continue;
    if (first == nullptr || launch.completed < first->completed) first = &launch;
  }
  if (first == nullptr) return std::nullopt;
  return Error::program(first->error_code, "launch " + std::to_string(first->id) + " failed: " + first->error_message);
}

// The first failure of a kernel that still waits for its commands, so that its launch has no answer yet.
std::optional<Error> first_failed_kernel(const std::vector<elab::WaitInfo>& waits) {
  const elab::WaitInfo* first = nullptr;
  for (const elab::WaitInfo& wait : waits) {
    if (!wait.failure_code.empty() && (first == nullptr || wait.since < first->since)) first = &wait;
  }
  if (first == nullptr) return std::nullopt;
  return Error::program(first->failure_code, first->failure);
}

}  // namespace

std::vector<elab::WaitInfo> open_waits(const elab::Platform& platform, const HostPort& host) {
  std::vector<elab::WaitInfo> waits;
  host.collect_waits(waits);
  for (elab::WaitInfo& wait : platform.waits()) {
    if (!host.reports(wait)) waits.push_back(std::move(wait));
  }
  return waits;
}

std::optional<Error> find_failure(elab::Platform& platform, HostPort& host, const HostTimeLimit* host_limit) {
  if (host.failure()) {
    try {
      std::rethrow_exception(host.failure());
    } catch (const Error& error) {
      if (error.family() != ErrorFamily::program && error.family() != ErrorFamily::no_progress) throw;
      return error;
    } catch (const std::exception& error) {
      return error_of_program(error, "the workload failed: ");
    } catch (...) {
      return Error::program("BENCH_ERROR", "the workload threw an object that is not a std::exception");
    }
  }
  if (const std::string& passed = platform.scheduler().passed_end(); !passed.empty()) {
    return Error::program("TIME_RANGE", passed);
  }
  if (host.main_finished() && host.open_requests() == 0 && open_waits(platform, host).empty()) return std::nullopt;
  if (!was_cut(platform.scheduler())) {
    modules::throw_if_a_block_stalls(platform.context());
    modules::throw_if_a_pe_block_stalls(platform.context());
  }
  return lack_of_progress(platform.scheduler(), host_limit);
}

void end_without_progress(elab::Platform& platform, HostPort& host, std::optional<Error>& failure) {
  const Error headline = *failure;
  const bool limited = was_cut(platform.scheduler());
  const std::vector<elab::WaitInfo> waits = open_waits(platform, host);
  std::optional<Error> cause;
  if (!limited) cause = first_failed_launch(host);
  if (!limited && !cause) cause = first_failed_kernel(platform.waits());
  const std::string table =
      (limited || cause ? "" : diagnose_deadlock(waits)) + render_waits(waits, platform.scheduler().now());
  host.abandon(headline.what(), platform.waits());
  if (cause) {
    failure.emplace(cause->family(), cause->code(),
                    std::string(cause->what()) + "\nBecause of that " + headline.what() + "\n" + table);
  } else {
    failure.emplace(headline.family(), headline.code(), std::string(headline.what()) + "\n" + table);
  }
}

std::vector<std::string> undeclared_blocks(const elab::Platform& platform) {
  std::set<std::string> found;
  for (std::uint32_t i = 0; i < platform.graph().nodes.size(); ++i) {
    const topology::Node& node = platform.graph().nodes[i];
    const bool recorded = topology::is_pe_block(node.kind) || !platform.resources().of(NodeId(i)).empty();
    if (node.foreign && !recorded) found.insert(node.impl);
  }
  return {found.begin(), found.end()};
}

std::vector<BlockRecord> collect_statistics(elab::Platform& platform) {
  std::vector<BlockRecord> all;
  const topology::Graph& graph = platform.graph();
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].kind == topology::NodeKind::host) continue;
    const std::vector<elab::Statistic> statistics = platform.statistics_of(NodeId(i));
    if (statistics.empty()) continue;
    all.push_back({graph.nodes[i].id, std::string(node_kind_name(graph.nodes[i].kind)), {}});
    for (const elab::Statistic& s : statistics) {
      all.back().statistics.push_back({s.name, s.value, s.unit, s.purpose.empty() ? s.name : s.purpose});
    }
  }
  return all;
}

std::vector<waves::Span> launch_spans(const std::deque<LaunchRecord>& launches, TimeFs end) {
  std::vector<waves::Span> spans;
  for (const LaunchRecord& launch : launches) {
    spans.push_back({"launch " + std::to_string(launch.id), launch.submitted, std::min(launch.completed, end)});
  }
  return spans;
}

void warn_of_unconsumed(const elab::Platform& platform, std::vector<std::string>& warnings) {
  std::vector<std::string> leftovers;
  for (std::uint32_t i = 0; i < platform.graph().nodes.size(); ++i) {
    if (platform.graph().nodes[i].kind == topology::NodeKind::host) continue;
    platform.block(NodeId(i)).collect_unconsumed(leftovers);
  }
  const std::size_t all = leftovers.size();
  if (all > kShownLeftovers) {
    leftovers.resize(kShownLeftovers);
    leftovers.push_back(std::to_string(all - kShownLeftovers) + " more queues were left with messages");
  }
  warnings.insert(warnings.end(), leftovers.begin(), leftovers.end());
}

}  // namespace kb::sim
