// Converts the record of a run to result.json and to the tables of launches, PEs and blocks in ops.sqlite.
#pragma once

#include <cstdint>

#include "sim/result/result.h"
#include "sim/run/driver/run_record.h"

namespace kb::sim {

enum class Detail : std::uint8_t {
  sums,        // the longest launches, sums by kernel and by kind of block (result.json)
  launches,    // all launches
  everything,  // also their PEs, their use of resources and the statistics of every block
};

result::Result result_of(const RunRecord& run, Detail detail);
// The part that is known before the run.
result::Setup setup_of(const RunRecord& run);

}  // namespace kb::sim
