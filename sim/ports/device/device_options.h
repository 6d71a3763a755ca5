// Checks and converts options of a DeviceConfig.
#pragma once

#include "platform/contract/data_mode.h"
#include "sim/ports/device/device.h"
#include "sim/ports/device/failure_path.h"
#include "sim/run/driver/wave_options.h"

namespace kb::sim {

// Configuration Error with the nearest mode.
OnFailure on_failure_of(const DeviceConfig& config);
contract::DataMode data_mode_of(const DeviceConfig& config);

// Sets filters, detail and window. Configuration Error for an unknown detail or an empty window.
void set_waves(const DeviceConfig& config, WaveOptions& waves);

}  // namespace kb::sim
