// What of a DeviceConfig is said in words and numbers, checked.
#pragma once

#include "platform/contract/data_mode.h"
#include "sim/ports/device/device.h"
#include "sim/ports/device/failure_path.h"
#include "sim/run/driver/wave_options.h"

namespace kb::sim {

// Configuration Error with the nearest mode.
OnFailure on_failure_of(const DeviceConfig& config);
contract::DataMode data_mode_of(const DeviceConfig& config);

// Filters, detail and window. Configuration Error for a detail that there is not, or for a window without time.
void set_waves(const DeviceConfig& config, WaveOptions& waves);

}  // namespace kb::sim
