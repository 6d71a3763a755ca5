// Converts launch(kernel, args, options) to one request per SIP.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/contract/kernel_arguments.h"
#include "platform/contract/machine_info.h"
#include "sw/runtime/launch.h"

namespace kb::contract {
class IKernelCatalog;
struct KernelLaunch;
}  // namespace kb::contract

namespace kb::sw {

struct LaunchContext {
  const contract::MachineInfo& machine;
  const std::vector<int>& devices;  // SIPs that the context may use
  int current_device = 0;
  bool in_rank = false;
};

// The values in the order of the kernel's parameters. KERNEL_ERROR when the kernel does not exist, SCHEMA_ERROR as in
// bind_arguments. `kernels` may be null: then there are no kernels.
std::vector<contract::KernelArg> bind_launch(const contract::IKernelCatalog* kernels, const std::string& kernel,
                                             const Args& args);

// Requests in ascending SIP order, by the default rules of LaunchOptions. SCHEMA_ERROR for empty or impossible targets.
std::vector<std::shared_ptr<contract::KernelLaunch>> plan_launch(const LaunchContext& context,
                                                                 const std::string& kernel,
                                                                 const std::vector<contract::KernelArg>& values,
                                                                 const LaunchOptions& options);

}  // namespace kb::sw
