#include "sw/runtime/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/contract/i_host.h"
#include "platform/contract/kernel.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/tensor_layout.h"
#include "sw/tensor/join.h"

namespace kb::sw {
namespace {

// Sorted targets without duplicates, each in [0, count).
std::vector<std::uint32_t> checked_targets(const std::string& kernel, const char* what, const std::vector<int>& wanted,
                                           int count) {
  if (wanted.empty()) {
    throw Error::program("SCHEMA_ERROR",
                         fmt::format("launch of kernel '{}': the set of {} is empty; name at least one or "
                                     "leave it out for the default",
                                     kernel, what));
  }
  std::set<std::uint32_t> sorted;
  for (const int index : wanted) {
    if (index < 0 || index >= count) {
      throw Error::program("SCHEMA_ERROR",
                           fmt::format("launch of kernel '{}': {} {} does not exist; there are {} (0 to {})", kernel,
                                       what, index, count, count - 1));
    }
    sorted.insert(static_cast<std::uint32_t>(index));
  }
  return {sorted.begin(), sorted.end()};
}

std::vector<int> range(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = i;
  return all;
}

// Owners of the arguments' shards: SIP -> cubes.
std::map<int, std::set<int>> owners_of(const std::vector<contract::KernelArg>& values, bool& has_tensors) {
  std::map<int, std::set<int>> owners;
  for (const contract::KernelArg& value : values) {
    const auto* const tensor = std::get_if<std::shared_ptr<const contract::TensorLayout>>(&value);
    if (tensor == nullptr) continue;
    has_tensors = true;
    for (const contract::Shard& shard : (*tensor)->shards) {
      owners[static_cast<int>(shard.owner.sip.value)].insert(static_cast<int>(shard.owner.cube.value));
    }
  }
  return owners;
}

contract::KernelArg value_of(const Arg& arg) {
  if (const auto* tensor = std::get_if<Tensor>(&arg.value())) return tensor->shared_layout();
  if (const auto* integer = std::get_if<std::int64_t>(&arg.value())) return *integer;
  if (const auto* text = std::get_if<std::string>(&arg.value())) return *text;
  return std::get<double>(arg.value());
}

const contract::Kernel& find_kernel(const contract::IKernelCatalog* kernels, const std::string& name) {
  const contract::Kernel* const known = kernels == nullptr ? nullptr : kernels->find(name);
  if (known != nullptr) return *known;
  const std::vector<std::string> names = kernels == nullptr ? std::vector<std::string>{} : kernels->names();
  throw Error::program("KERNEL_ERROR", fmt::format("unknown kernel '{}' ({})", name,
                                                   names.empty() ? "no kernel is registered" : suggest(name, names)));
}

std::vector<int> target_sips(const LaunchContext& context, const std::string& kernel, const LaunchOptions& options,
                             const std::map<int, std::set<int>>& owners) {
  std::vector<int> sips;
  if (options.sips) {
    sips = *options.sips;
  } else if (context.in_rank || owners.empty()) {
    sips = {context.current_device};
  } else {
    for (const auto& owner : owners) sips.push_back(owner.first);
  }
  std::vector<int> checked;
  for (const std::uint32_t sip : checked_targets(kernel, "SIPs", sips, context.machine.sips)) {
    if (std::find(context.devices.begin(), context.devices.end(), static_cast<int>(sip)) == context.devices.end()) {
      throw Error::program("SCHEMA_ERROR",
                           fmt::format("launch of kernel '{}': sip{} is not one of the devices of this run "
                                       "({})",
                                       kernel, sip, join(context.devices)));
    }
    checked.push_back(static_cast<int>(sip));
  }
  return checked;
}

}  // namespace

std::vector<contract::KernelArg> bind_launch(const contract::IKernelCatalog* kernels, const std::string& kernel,
                                             const Args& args) {
  const contract::Kernel& known = find_kernel(kernels, kernel);
  std::vector<contract::NamedArg> named;
  named.reserve(args.size());
  for (const Arg& arg : args) named.push_back({arg.name(), value_of(arg)});
  return contract::bind_arguments(known.name, known.parameters, std::move(named));
}

std::vector<std::shared_ptr<contract::KernelLaunch>> plan_launch(const LaunchContext& context,
                                                                 const std::string& kernel,
                                                                 const std::vector<contract::KernelArg>& values,
                                                                 const LaunchOptions& options) {
  bool has_tensors = false;
  const std::map<int, std::set<int>> owners = owners_of(values, has_tensors);
  const contract::MachineInfo& machine = context.machine;
  const auto pes =
      checked_targets(kernel, "PEs", options.pes.value_or(range(machine.pes_per_cube)), machine.pes_per_cube);

  std::vector<std::shared_ptr<contract::KernelLaunch>> parts;
  for (const int sip : target_sips(context, kernel, options, owners)) {
    std::vector<int> cubes;
    if (options.cubes) {
      cubes = *options.cubes;
    } else if (!has_tensors) {
      cubes = range(machine.cubes_per_sip);
    } else if (const auto found = owners.find(sip); found != owners.end()) {
      cubes.assign(found->second.begin(), found->second.end());
    } else {
      throw Error::program("SCHEMA_ERROR",
                           fmt::format("launch of kernel '{}': no argument has a shard on sip{}, so its cubes "
                                       "are not known; set LaunchOptions::cubes",
                                       kernel, sip));
    }
    auto part = std::make_shared<contract::KernelLaunch>();
    part->kernel = kernel;
    part->args = values;
    part->sip = SipId(static_cast<std::uint32_t>(sip));
    for (const std::uint32_t cube : checked_targets(kernel, "cubes", cubes, machine.cubes_per_sip)) {
      part->cubes.emplace_back(cube);
    }
    for (const std::uint32_t pe : pes) part->pes.emplace_back(pe);
    part->failure_policy = options.failure_policy;
    part->label = options.label;
    part->queued = options.queued;
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace kb::sw
