#pragma once

#include "platform/elab/platform.h"
#include "sim/run/driver/data_model.h"
#include "sim/run/driver/simulation.h"

namespace kb::sim {

class WaveRecording;

// Connects the platform with its observers. `waves` may be null.
elab::PlatformOptions platform_options(const SimulationOptions& options, DataModel& data, WaveRecording* waves);

}  // namespace kb::sim
