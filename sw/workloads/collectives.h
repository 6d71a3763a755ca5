// Verified collectives between the SIPs.
#pragma once

#include <string>
#include <vector>

#include "platform/data/running_error.h"
#include "sw/tensor/host_array.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

// All-reduce of one tile per cube over the whole machine, by the configured algorithm (ccl.yaml).
Workload ccl_allreduce_workload();

// Expected contents of every rank after an all-reduce of the tiles of all ranks: each row is the combination of all
// rows.
data::BoundedMatrix all_reduced(const std::vector<HostArray>& inputs, const std::string& op);

}  // namespace kb::sw
