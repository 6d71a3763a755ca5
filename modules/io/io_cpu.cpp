#include "modules/io/io_cpu.h"

#include <memory>
#include <string>
#include <utility>

#include "modules/command/launch_barrier.h"
#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/contract/failure_policy.h"
#include "platform/contract/kernel_launch.h"
#include "platform/elab/route_table.h"

namespace kb::modules {

void IoCpu::launch(payload::Transaction& parent, const payload::KernelLaunchMsg& request) {
  const contract::KernelLaunch& launch = *request.launch;
  const SipId own = node_record().sip;
  if (launch.sip != own) {
    throw Error::program("SCHEMA_ERROR", "launch #" + std::to_string(request.request) + " is for sip" +
                                             std::to_string(launch.sip.value) + ", not for this SIP");
  }
  if (launch.cubes.empty() || launch.pes.empty()) {
    throw Error::program("SCHEMA_ERROR", "launch #" + std::to_string(request.request) + " targets no " +
                                             (launch.cubes.empty() ? "cube" : "PE"));
  }
  payload::KernelLaunchMsg stamped = request;
  if (stamped.target_start == kNever && !launch.start_barrier) {
    stamped.target_start = now() + launch_latency(context(), node(), own, launch.cubes, launch.pes);
  }
  fan_out(parent, "launch #" + std::to_string(request.request) + " of kernel " + launch.name(), launch.failure_policy,
          to_cubes(launch.receiving_cubes(), payload::share(std::move(stamped))));
}

void IoCpu::map(payload::Transaction& parent, const payload::TranslationMsg& request) {
  std::vector<CubeId> cubes = request.cubes;
  if (cubes.empty()) {
    const auto count = static_cast<std::uint32_t>(context().graph.spec.cubes_per_sip());
    for (std::uint32_t cube = 0; cube < count; ++cube) cubes.emplace_back(cube);
  }
  fan_out(parent, std::string(payload::translation_verb(*parent.message)) + " #" + std::to_string(request.request),
          contract::FailurePolicy::fail_fast, to_cubes(cubes, parent.message));
}

void IoCpu::barrier(payload::Transaction& arrival, const payload::BarrierMsg& message) {
  const std::string name = "cube" + std::to_string(message.from.cube.value);
  if (all_there(arrival, message, message.cubes, name)) open_barrier(message);
}

std::vector<CommandProcessor::SubRequest> IoCpu::to_cubes(const std::vector<CubeId>& cubes,
                                                          const std::shared_ptr<const payload::Message>& message) {
  const SipId own = node_record().sip;
  std::vector<SubRequest> requests;
  requests.reserve(cubes.size());
  for (CubeId cube : cubes) {
    const PeCoord at{own, cube, PeId{}};
    requests.push_back({command_route(context().routes.resolver().find_m_cpu(own, cube)),
                        message,
                        0,
                        0,
                        0,
                        {"cube" + std::to_string(cube.value), pe_name(at), at}});
  }
  return requests;
}

}  // namespace kb::modules
