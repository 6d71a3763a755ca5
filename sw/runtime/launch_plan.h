// From launch(kernel, args, options) to one request per SIP.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/contract/i_host.h"
#include "platform/contract/i_pe.h"
#include "sw/runtime/launch.h"

namespace kb::sw {

struct LaunchContext {
  const contract::MachineInfo& machine;
  const std::vector<int>& devices;  // SIPs the context may use
  int current_device = 0;
  bool in_rank = false;
};

// KERNEL_ERROR when the catalog knows no such kernel, SCHEMA_ERROR when its parameters do not fit in number or kind.
void check_kernel_arguments(const contract::IKernelCatalog& kernels, const std::string& kernel,
                            const std::vector<Arg>& args);

// Requests in ascending SIP order, by the default rules of LaunchOptions. SCHEMA_ERROR on empty or impossible targets.
std::vector<std::shared_ptr<contract::KernelLaunch>> plan_launch(const LaunchContext& context,
                                                                 const std::string& kernel,
                                                                 const std::vector<Arg>& args,
                                                                 const LaunchOptions& options);

}  // namespace kb::sw
