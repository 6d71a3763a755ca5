#include "sim/ports/device/device_record.h"

#include "platform/base/error.h"
#include "sim/ports/device/builtin_topology.h"
#include "sim/run/driver/run_description.h"
#include "sim/run/driver/run_files.h"

namespace kb::sim {
namespace {

std::map<std::string, ConfigEntry> reference_config() {
  const BuiltinTopology reference = builtin_topology();
  return config_of(topology::load_text(reference.text, reference.name));
}

}  // namespace

DeviceRecord::DeviceRecord(const DeviceConfig& config, const std::string& device,
                           const topology::LoadedTopology& machine, observe::OutputSet& outputs,
                           SimulationOptions& options)
    : observers_(machine.graph, {true, std::nullopt, false}), run_(describe_machine(machine, reference_config())) {
  if (!config.oplog.empty()) {
    throw Error::configuration("DeviceConfig::result writes ops.sqlite, too; leave DeviceConfig::oplog out");
  }
  observe::make_folder(config.result, "DeviceConfig::result");
  result_ = &add_run_files(outputs, machine, config.result, true);
  operations_ = &add_operations(outputs, operations_file(config.result));
  options.oplog = operations_;
  options.log_outside_writes = false;  // because their number is unlimited
  observers_.observe(options);
  run_.workload = device;
  run_.device = "all";
  run_.data_mode = data_mode_name(options.data_mode);
  options.oplog_facts = log_facts(run_);
}

void DeviceRecord::write(const DeviceReport& report) {
  run_.ok = report.ok;
  run_.error_code = report.error_code;
  run_.error_message = report.error_message;
  observers_.report(run_);
  run_.notes.emplace_back("an embedded device: launches and requests come from the models around it");
  note_limits(run_);
  run_.warnings = report.problems;
  run_.warnings.insert(run_.warnings.end(), report.warnings.begin(), report.warnings.end());
  run_.host = usage_.figures(report.events);
  write_result(run_, *result_);
  write_details(run_, *operations_, true);
}

}  // namespace kb::sim
