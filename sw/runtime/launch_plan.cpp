#include "sw/runtime/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/contract/i_host.h"
#include "sw/tensor/join.h"

namespace kb::sw {
namespace {

const char* kind_of(const Arg& arg) {
  switch (arg.value().index()) {
    case 0:
      return "tensor";
    case 1:
      return "int";
    case 2:
      return "float";
    default:
      return "text";
  }
}

// Kernel::parameters are texts: "a: tensor", "tile: int (optional)".
bool is_optional(const std::string& parameter) {
  return parameter.find("(optional)") != std::string::npos;
}

// "" when the text names no kind.
std::string declared_kind(const std::string& parameter) {
  const std::size_t colon = parameter.find(':');
  if (colon == std::string::npos) return "";
  const std::size_t begin = parameter.find_first_not_of(' ', colon + 1);
  if (begin == std::string::npos) return "";
  return parameter.substr(begin, parameter.find(' ', begin) - begin);
}

bool fits(const std::string& declared, const std::string& given) {
  const bool known = declared == "tensor" || declared == "int" || declared == "float" || declared == "text";
  return !known || declared == given || (declared == "float" && given == "int");
}

// Ascending, without repetition, each in [0, count).
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
std::map<int, std::set<int>> owners_of(const std::vector<Arg>& args, bool& has_tensors) {
  std::map<int, std::set<int>> owners;
  for (const Arg& arg : args) {
    const Tensor* const tensor = std::get_if<Tensor>(&arg.value());
    if (tensor == nullptr) continue;
    has_tensors = true;
    for (const contract::Shard& shard : tensor->layout().shards) {
      owners[static_cast<int>(shard.owner.sip.value)].insert(static_cast<int>(shard.owner.cube.value));
    }
  }
  return owners;
}

std::vector<contract::KernelArg> to_contract(const std::vector<Arg>& args) {
  std::vector<contract::KernelArg> out;
  for (const Arg& arg : args) {
    if (const auto* tensor = std::get_if<Tensor>(&arg.value())) {
      out.emplace_back(tensor->shared_layout());
    } else if (const auto* integer = std::get_if<std::int64_t>(&arg.value())) {
      out.emplace_back(*integer);
    } else if (const auto* text = std::get_if<std::string>(&arg.value())) {
      out.emplace_back(*text);
    } else {
      out.emplace_back(std::get<double>(arg.value()));
    }
  }
  return out;
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

void check_kernel_arguments(const contract::IKernelCatalog& kernels, const std::string& kernel,
                            const std::vector<Arg>& args) {
  const contract::Kernel* const known = kernels.find(kernel);
  if (known == nullptr) {
    const std::vector<std::string> names = kernels.names();
    throw Error::program("KERNEL_ERROR",
                         fmt::format("unknown kernel '{}' ({})", kernel,
                                     names.empty() ? "no kernel is registered" : suggest(kernel, names)));
  }
  const std::vector<std::string>& parameters = known->parameters;
  const auto required = static_cast<std::size_t>(std::count_if(
      parameters.begin(), parameters.end(), [](const std::string& parameter) { return !is_optional(parameter); }));
  if (args.size() < required || args.size() > parameters.size()) {
    throw Error::program("SCHEMA_ERROR", fmt::format("kernel '{}' takes ({}), but {} arguments were given", kernel,
                                                     join(parameters), args.size()));
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (fits(declared_kind(parameters[i]), kind_of(args[i]))) continue;
    throw Error::program("SCHEMA_ERROR", fmt::format("kernel '{}', argument {} ({}): a value of kind {} was given",
                                                     kernel, i + 1, parameters[i], kind_of(args[i])));
  }
}

std::vector<std::shared_ptr<contract::KernelLaunch>> plan_launch(const LaunchContext& context,
                                                                 const std::string& kernel,
                                                                 const std::vector<Arg>& args,
                                                                 const LaunchOptions& options) {
  bool has_tensors = false;
  const std::map<int, std::set<int>> owners = owners_of(args, has_tensors);
  const std::vector<contract::KernelArg> values = to_contract(args);
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
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace kb::sw
