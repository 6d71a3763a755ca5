// The run folder of a device (DeviceConfig::result).
#pragma once

#include <string>

#include "platform/observe/output_set.h"
#include "platform/topology/topology.h"
#include "sim/ports/device/device.h"
#include "sim/run/driver/host_usage.h"
#include "sim/run/driver/run_observers.h"
#include "sim/run/driver/run_record.h"
#include "sim/run/driver/simulation.h"

namespace kb::sim {

// Records a device, and writes the files of `kernbench run --record`.
class DeviceRecord {
 public:
  // Adds the files to `outputs`, which is empty, and the observers to `options`. Configuration Error for a folder that
  // is not writable, and when DeviceConfig::oplog is set as well.
  DeviceRecord(const DeviceConfig& config, const std::string& device, const topology::LoadedTopology& machine,
               observe::OutputSet& outputs, SimulationOptions& options);

  // The record, to which the device adds time, launches, statistics of blocks, figures and unknown accesses at its end.
  RunRecord& run() { return run_; }
  // Writes result.json and the tables of single launches, PEs and blocks, once. Errors are those of OutputFile.
  void write(const DeviceReport& report);

 private:
  HostUsage usage_;
  RunObservers observers_;
  RunRecord run_;
  observe::OutputFile* result_ = nullptr;
  observe::OutputFile* operations_ = nullptr;
};

}  // namespace kb::sim
