// Adds to the result of a run where the time of kernels went, by line.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/record/activity_recorder.h"
#include "sim/run/driver/run_record.h"

namespace kb::sim {

// `resource_of`: the number of each series as a resource, which PlaceUseRecord::most will have.
void add_recorded_lines(const record::ActivityRecorder& recorder, const std::vector<std::uint32_t>& resource_of,
                        RunRecord& run);

}  // namespace kb::sim
