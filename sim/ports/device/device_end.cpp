// The end of a device: failures, report and files.
#include <fmt/format.h>

#include <utility>

#include "modules/bridge/outside_models.h"
#include "modules/bridge/outside_port.h"
#include "platform/record/activity_recorder.h"
#include "sim/ports/device/device_impl.h"
#include "sim/run/driver/run_end.h"

namespace kb {
namespace {

double mean_ns(TimeFs sum, std::uint64_t count) {
  return fs_to_ns(sum) / static_cast<double>(count);
}

}  // namespace

// A host program may have failed after the last event of the engine.
void Device::Impl::find_host_failure() {
  if (failures_.failure() || !host_->failure()) return;
  try {
    failures_.set_failure(*sim::find_failure(*platform_, *host_, nullptr));
  } catch (const Error& error) {
    failures_.set_failure(error);
  }
}

// Problems that make a run fail although it reached its end.
void Device::Impl::find_late_failure(DeviceReport& report) {
  if (failures_.failure()) return;
  if (failures_.has_problems()) {
    failures_.set_failure(Error::program(failures_.problem_code(), failures_.problems().front()));
  } else if (!idle()) {
    const std::string text = fmt::format("the simulation ends at {} with work outstanding\n{}",
                                         sc_core::sc_time_stamp().to_string(), waits_text());
    if (config_.may_end_early) {
      report.warnings.push_back(fmt::format("{}: {}", device_.name(), text));
    } else {
      failures_.set_failure(Error(ErrorFamily::no_progress, "OUTSTANDING_WORK", text));
    }
  }
}

void Device::Impl::report_error(const std::string& code, const std::string& message) {
  if (!outside_error_) outside_error_ = Error::program(code, message);
}

DeviceReport Device::Impl::finish() {
  if (std::exchange(finished_, true)) throw Error::configuration("Device::finish() was called twice");
  DeviceReport report;
  find_host_failure();
  const bool ran_to_its_end = !failures_.failure();
  if (ran_to_its_end && outside_error_) failures_.set_failure(*outside_error_);
  find_late_failure(report);
  const TimeFs now = platform_->scheduler().now();
  platform_->conclude();
  if (waves_) {
    waves_->finish(now, report.warnings);
    waves_->write_save_file(sim::launch_spans(host_->launches(), now), now, platform_->graph());
  }
  if (options_.recorder != nullptr) options_.recorder->finish(now);
  try {
    if (ran_to_its_end) {
      data_->finish();
    } else {
      data_->finish_log();
    }
  } catch (const Error& error) {
    if (error.family() != ErrorFamily::program) throw;
    failures_.set_failure(error);
  }
  complete(report);
  if (record_) write_result(report, now);
  outputs_.commit();
  return report;
}

void Device::Impl::complete(DeviceReport& report) const {
  if (const std::optional<Error>& failure = failures_.failure()) {
    report.ok = false;
    report.error_code = failure->code();
    report.error_message = failure->what();
  }
  const sim::UnknownAccesses unknown = data_->unknown_accesses();
  if (unknown.count > 0) report.warnings.push_back(sim::unknown_accesses_text(unknown));
  report.problems = failures_.problems();
  report.events = platform_->scheduler().events();
  report.launches = host_->launches().size();
  for (const sim::BlockRecord& block : sim::collect_statistics(*platform_)) {
    for (const sim::StatisticRecord& one : block.statistics) {
      report.statistics.push_back({block.node, one.name, one.value, one.unit});
    }
  }
  report.text = report_text(report);
}

void Device::Impl::write_result(const DeviceReport& report, TimeFs end) {
  sim::RunRecord& run = record_->run();
  run.sim_time = end;
  run.launches = host_->take_launches();
  run.blocks = sim::collect_statistics(*platform_);
  run.figures = outside_figures();
  run.unknown_accesses = data_->unknown_accesses().count;
  record_->write(report);
}

std::string Device::Impl::report_text(const DeviceReport& report) const {
  std::string text = fmt::format(
      "{}: {} at {} ns, {} launches, {} events\n", device_.name(), report.ok ? "ok" : report.error_code,
      format_ns(TimeFs(static_cast<std::int64_t>(sc_core::sc_time_stamp().value()))), report.launches, report.events);
  if (!report.ok) text += "  " + report.error_message + "\n";
  for (const auto& [name, bridge] : targets_) {
    if (bridge->requests() == 0) continue;
    text += fmt::format("  socket {}: {} requests, {}, {} refused\n", name, bridge->requests(),
                        format_bytes(bridge->bytes()), bridge->refused());
  }
  for (const auto& [name, port] : platform_->context().shared<modules::OutsideModels>().ports) {
    if (port->accesses() == 0) continue;
    text += fmt::format("  memory {}: {} accesses, stalled for {} ns\n", name, port->accesses(),
                        format_ns(port->stalled()));
  }
  for (const std::string& problem : report.problems) text += "  problem: " + problem + "\n";
  for (const std::string& warning : report.warnings) text += "  warning: " + warning + "\n";
  return text;
}

// One set of figures per socket, independent of the number of requests.
std::vector<sim::FigureRecord> Device::Impl::outside_figures() const {
  std::vector<sim::FigureRecord> figures;
  const auto count = [&figures](const std::string& name, std::uint64_t value, const char* unit, const char* meaning) {
    figures.push_back({name, static_cast<double>(value), unit, meaning});
  };
  for (const auto& [name, bridge] : targets_) {
    if (bridge->requests() == 0) continue;
    const modules::TargetBridge::Latency& latency = bridge->latency();
    count(name + ": requests", bridge->requests(), "1", "calls of outside models at this target socket");
    count(name + ": refused", bridge->refused(), "1", "answered with an error");
    count(name + ": bytes", bridge->bytes(), "B", "moved on wires for them");
    if (latency.requests == 0) continue;
    figures.push_back({name + ": mean latency", mean_ns(latency.sum, latency.requests), "ns",
                       "from a call and its delay to the answer"});
    figures.push_back({name + ": longest latency", fs_to_ns(latency.longest), "ns", "the largest of them"});
  }
  const sim::RegisterFile& registers = control_->registers;
  if (registers.reads() + registers.writes() > 0) {
    count("registers: reads", registers.reads(), "1", "accesses of drivers");
    count("registers: writes", registers.writes(), "1", "accesses of drivers");
  }
  const auto add_traffic = [&](const std::string& what, const sim::HostDma::Traffic& traffic) {
    if (traffic.bursts == 0) return;
    count("host memory: " + what, traffic.bursts, "1", "bursts of the device's DMA");
    count("host memory: bytes of " + what, traffic.bytes, "B", "in these bursts");
    figures.push_back({"host memory: mean latency of " + what, mean_ns(traffic.time, traffic.bursts), "ns",
                       "until the memory has answered"});
  };
  add_traffic("reads", control_->host_memory().reads());
  add_traffic("writes", control_->host_memory().writes());
  for (const auto& [name, port] : platform_->context().shared<modules::OutsideModels>().ports) {
    if (port->accesses() == 0) continue;
    count(name + ": accesses", port->accesses(), "1", "to this outside memory");
    figures.push_back({name + ": stalled", fs_to_ns(port->stalled()), "ns", "an access waited and none could be made"});
  }
  return figures;
}

}  // namespace kb
