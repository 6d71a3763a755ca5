// Verified collectives between ranks, with one workload each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/data/running_error.h"
#include "sw/tensor/host_array.h"
#include "sw/workloads/workload.h"

namespace kb::sw {

std::vector<Workload> rank_collective_workloads();

struct CollectiveCase {
  int root = 0, target = 0;  // target of send-recv; its source is the root
  std::string op = "sum";
};
// Expected contents of a rank after collective `name` ("all-gather") of these tensors, one per rank with a row per
// cube; no value when the rank gets no result.
std::optional<data::BoundedMatrix> collective_result(const std::string& name, const CollectiveCase& given,
                                                     const std::vector<HostArray>& inputs, int rank);

}  // namespace kb::sw
