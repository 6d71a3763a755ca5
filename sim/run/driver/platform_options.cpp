#include "sim/run/driver/platform_options.h"

#include "sim/analysis/energy/engine_work.h"
#include "sim/analysis/findings/operation_costs.h"
#include "sim/run/driver/wave_recording.h"

namespace kb::sim {

elab::PlatformOptions platform_options(const SimulationOptions& options, DataModel& data, WaveRecording* waves) {
  elab::PlatformOptions platform;
  platform.operations = &data.recorder();
  if (options.costs != nullptr) {
    options.costs->pass_on_to(data.recorder());
    platform.operations = options.costs;
  }
  if (options.work != nullptr) {
    options.work->pass_on_to(*platform.operations);
    platform.operations = options.work;
  }
  platform.kernels = options.kernels;
  platform.observer = waves != nullptr ? &waves->recorder() : nullptr;
  platform.log = options.log;
  platform.order = options.order;
  platform.recorder = options.recorder;
  platform.hops = options.hops;
  platform.dram = options.dram;
  platform.plan = options.plan;
  return platform;
}

}  // namespace kb::sim
