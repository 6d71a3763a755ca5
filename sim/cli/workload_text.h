// What `list` and `run --help` say about a workload and about a kernel.
#pragma once

#include <cstddef>
#include <string>

#include "sw/workloads/workload.h"

namespace kb::contract {
struct Kernel;
}

namespace kb::cli {

inline constexpr std::size_t kTextWidth = 100;  // columns of text for people

// The parameters with defaults and meanings, and how to set them; "" when there are none.
std::string parameters_text(const sw::Workload& workload);
// Name, number, sentence, parameters and how to run it.
std::string workload_text(const sw::Workload& workload, std::size_t number);
std::string kernel_text(const contract::Kernel& kernel);

}  // namespace kb::cli
