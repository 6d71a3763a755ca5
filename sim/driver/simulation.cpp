#include "sim/driver/simulation.h"

#include <algorithm>
#include <array>
#include <systemc>

#include "modules/catalog.h"
#include "modules/fabric/foreign_links.h"
#include "platform/address/address_space.h"
#include "platform/address/phys_addr.h"
#include "platform/data/data_engine.h"
#include "platform/data/op_log_file.h"
#include "platform/data/operation_recorder.h"
#include "platform/elab/foreign_call.h"
#include "platform/elab/platform.h"
#include "platform/record/activity_recorder.h"
#include "sim/driver/deadlock.h"
#include "sim/driver/host_time_limit.h"
#include "sim/driver/progress.h"
#include "sim/driver/systemc_setup.h"
#include "sim/driver/wait_table.h"
#include "sim/driver/wave_recording.h"
#include "sim/host/host_port.h"

namespace kb::sim {
namespace {

// Names the memory of an address. No slot of the smallest unit holds two memories, so slots seen lately need no
// decoding.
class SpaceNames {
 public:
  std::string_view operator()(std::uint64_t pa) {
    const std::uint64_t slot = pa / address::kUnitSlotBytes;
    Entry& entry = recent_[slot % recent_.size()];
    if (entry.slot != slot) entry = {slot, decode(pa)};
    return entry.name;
  }

 private:
  struct Entry {
    std::uint64_t slot = ~std::uint64_t{0};
    std::string_view name;
  };
  static std::string_view decode(std::uint64_t pa) {
    if (address::space_of(pa) == address::AddressSpace::message) return "message";
    const address::PhysAddr address = address::PhysAddr::decode(pa);
    if (address.is_hbm()) return "hbm";
    if (address.is_sram()) return "sram";
    return address.is_tcm() ? "tcm" : "other";
  }

  std::array<Entry, 64> recent_;
};

// What the data engine writes and reads: memory, operation log, recorder.
class DataSide {
 public:
  DataSide(const topology::Graph& graph, const SimulationOptions& options)
      : memory_({options.strict,
                 [](std::uint64_t pa) {
                   return address::space_of(pa) == address::AddressSpace::message
                              ? address::encoded_text(pa)
                              : address::PhysAddr::decode(pa).to_string();
                 }}),
        log_(make_log(graph, options)),
        engine_(options.data_mode, memory_, engine_options(graph, log_.get())),
        recorder_(engine_) {}

  data::OperationRecorder& recorder() { return recorder_; }
  std::vector<std::byte> read(std::uint64_t pa, std::uint64_t nbytes) { return engine_.read({{pa, nbytes}}); }
  void finish() {
    engine_.sync();
    if (log_) log_->finish();
  }
  void finish_log() {
    if (log_) log_->finish();
  }

 private:
  static std::unique_ptr<data::IOpSink> make_log(const topology::Graph& graph, const SimulationOptions& options) {
    if (options.oplog == nullptr) return nullptr;
    data::OpLog::Options log;
    for (const topology::Node& node : graph.nodes) log.component_names.push_back(node.id);
    log.space = SpaceNames();
    log.facts = options.oplog_facts;
    log.activity = options.recorder;
    log.series_label = [&graph](const record::SeriesInfo& series) { return series.label(graph); };
    return data::open_op_log(*options.oplog, std::move(log));
  }
  static data::DataEngine::Options engine_options(const topology::Graph& graph, data::IOpSink* sink) {
    data::DataEngine::Options options;
    options.component_name = [&graph](NodeId node) { return node.valid() ? graph.node(node).id : std::string("host"); };
    options.sink = sink;
    return options;
  }

  data::MemoryStore memory_;
  std::unique_ptr<data::IOpSink> log_;
  data::DataEngine engine_;
  data::OperationRecorder recorder_;
};

std::vector<elab::WaitInfo> open_waits(const elab::Platform& platform, const HostPort& host) {
  std::vector<elab::WaitInfo> waits;
  host.collect_waits(waits);
  for (elab::WaitInfo& wait : platform.waits()) {
    if (!host.reports(wait)) waits.push_back(std::move(wait));
  }
  return waits;
}

// Whether the run was ended while something could still happen. Nobody waits in vain then.
bool was_cut(const elab::EventScheduler& scheduler) {
  return scheduler.limit_reached() || scheduler.end_requested() || !scheduler.passed_end().empty() ||
         !scheduler.given_up().empty();
}

// Why a run has not come to its end.
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

// The program's own failure, or the lack of progress; nothing when everything came to its end.
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
  if (!was_cut(platform.scheduler())) modules::throw_if_a_block_stalls(platform.context());
  return lack_of_progress(platform.scheduler(), host_limit);
}

// A kernel that has failed is why others wait for it.
std::optional<Error> first_failed_launch(const HostPort& host) {
  const LaunchRecord* first = nullptr;
  for (const LaunchRecord& launch : host.launches()) {
    if (launch.ok || launch.completed == kNever) continue;
    if (first == nullptr || launch.completed < first->completed) first = &launch;
  }
  if (first == nullptr) return std::nullopt;
  return Error::program(first->error_code, "launch " + std::to_string(first->id) + " failed: " + first->error_message);
}

// Completes the table of a run without progress and ends what is still open.
void end_without_progress(elab::Platform& platform, HostPort& host, std::optional<Error>& failure) {
  const Error headline = *failure;
  const bool limited = was_cut(platform.scheduler());
  const std::optional<Error> cause = limited ? std::nullopt : first_failed_launch(host);
  const std::vector<elab::WaitInfo> waits = open_waits(platform, host);
  const std::string table = (limited || cause ? "" : diagnose_deadlock(waits)) + render_waits(waits);
  host.abandon(headline.what(), platform.waits());
  if (cause) {
    failure.emplace(cause->family(), cause->code(),
                    std::string(cause->what()) + "\nBecause of that " + headline.what() + "\n" + table);
  } else {
    failure.emplace(headline.family(), headline.code(), std::string(headline.what()) + "\n" + table);
  }
}

void collect(const elab::Platform& platform, SimulationResult& result) {
  const topology::Graph& graph = platform.graph();
  std::vector<elab::Statistic> statistics;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].kind == topology::NodeKind::host) continue;
    statistics.clear();
    const elab::CodeScope scope(graph.nodes[i], result.sim_time);
    platform.block(NodeId(i)).collect_statistics(statistics);
    if (statistics.empty()) continue;
    auto& [id, records] = result.blocks.emplace_back(graph.nodes[i].id, std::vector<StatisticRecord>());
    for (const elab::Statistic& s : statistics) records.push_back({s.name, s.value, s.unit});
  }
}

constexpr std::size_t kShownLeftovers = 4;

void warn_of_leftovers(const elab::Platform& platform, std::vector<std::string>& warnings) {
  std::vector<std::string> leftovers;
  for (std::uint32_t i = 0; i < platform.graph().nodes.size(); ++i) {
    if (platform.graph().nodes[i].kind == topology::NodeKind::host) continue;
    platform.block(NodeId(i)).collect_leftovers(leftovers);
  }
  const std::size_t all = leftovers.size();
  if (all > kShownLeftovers) {
    leftovers.resize(kShownLeftovers);
    leftovers.push_back(std::to_string(all - kShownLeftovers) + " more queues were left with messages");
  }
  warnings.insert(warnings.end(), leftovers.begin(), leftovers.end());
}

// A mistake of the program that shows outside of its own threads (a strict read, say)
// fails the run like any other.
std::optional<Error> program_error_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const Error& error) {
    if (error.family() != ErrorFamily::program) throw;
    return error;
  }
  return std::nullopt;
}

}  // namespace

SimulationResult simulate(const topology::LoadedTopology& topology, const SimulationOptions& options,
                          const HostProgram& program) {
  prepare_systemc();
  ProgressLine progress(options.progress);
  progress.stage("building the machine");
  DataSide data(topology.graph, options);
  std::optional<WaveRecording> waves;
  if (options.waves.file != nullptr) waves.emplace(options.waves);
  elab::PlatformOptions platform_options;
  platform_options.operations = &data.recorder();
  platform_options.kernels = options.kernels;
  platform_options.observer = waves ? &waves->recorder() : nullptr;
  platform_options.log = options.log;
  platform_options.recorder = options.recorder;
  SystemcRun systemc(options.log);
  // Never destroyed: SystemC looks for every port of a dying module in one list, which for a large machine takes longer
  // than the simulation, and the process ends soon.
  elab::Platform& platform =
      *new elab::Platform("platform", topology.graph, modules::registry_with(options.blocks), platform_options);
  HostPortOptions host_options;
  host_options.data_mode = options.data_mode;
  if (options.data_mode != contract::DataMode::off) {
    host_options.read_memory = [&data](std::uint64_t pa, std::uint64_t nbytes) { return data.read(pa, nbytes); };
  }
  HostPort host(platform, host_options);
  host.run_main(program);
  if (options.time_limit) platform.scheduler().set_time_limit(*options.time_limit);
  if (options.host_time_limit != nullptr) options.host_time_limit->watch(platform.scheduler());
  platform.scheduler().set_poll([&] {
    if (!progress.due()) return false;
    const elab::EventScheduler& scheduler = platform.scheduler();
    progress.update({scheduler.now(), scheduler.events(), host.finished_launches(), host.launches().size(), "launches",
                     options.time_limit});
    return false;
  });
  progress.stage(nullptr);
  std::optional<Error> early = program_error_of([&] { systemc.start(); });
  if (waves) waves->check_filters();
  if (!early) early = program_error_of([&] { systemc.run(); });
  progress.stage("computing the data");
  if (options.host_time_limit != nullptr && platform.scheduler().end_requested()) {
    options.host_time_limit->acknowledge();
  }

  SimulationResult result;
  result.failure = early ? early : find_failure(platform, host, options.host_time_limit);
  result.sim_time = platform.scheduler().now();
  result.events = platform.scheduler().events();
  const bool passed = !platform.scheduler().passed_end().empty();
  if (!early && result.failure && (passed || result.failure->family() == ErrorFamily::no_progress)) {
    end_without_progress(platform, host, result.failure);
  }
  platform.conclude();
  if (waves) waves->finish(result.sim_time, result.warnings);
  if (options.recorder != nullptr) options.recorder->finish(result.sim_time);
  if (result.failure) {
    data.finish_log();
  } else {
    result.failure = program_error_of([&] { data.finish(); });
  }
  result.requests = host.requests();
  result.launches = host.take_launches();
  if (waves) waves->write_save_file(result.launches, result.sim_time);
  const std::vector<std::string> warnings = systemc.warnings();
  result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
  if (!result.failure) warn_of_leftovers(platform, result.warnings);
  collect(platform, result);
  return result;
}

}  // namespace kb::sim
