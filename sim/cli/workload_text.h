// Descriptions of workloads and kernels for `list` and `run --help`.
#pragma once

#include <cstddef>
#include <string>

#include "sw/workloads/workload.h"

namespace kb::contract {
struct Kernel;
}

namespace kb::cli {

inline constexpr std::size_t kTextWidth = 100;  // columns of text output

// The parameters with defaults, descriptions and how to set them; "" when there are none.
std::string parameters_text(const sw::Workload& workload);
// Name, number, description, parameters, and how to run the workload; `plugin`: the file that brings it, or "".
std::string workload_text(const sw::Workload& workload, std::size_t number, const std::string& plugin);
std::string kernel_text(const contract::Kernel& kernel);

}  // namespace kb::cli
