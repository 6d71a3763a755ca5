#include "sw/distributed/process_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "sw/distributed/tile_layout.h"
#include "sw/distributed/wiring.h"
#include "sw/tensor/join.h"

namespace kb::sw {
namespace {

topology::CclConfig load(topology::CclOptions options) {
  options.modules = algorithm_names();
  return topology::load_ccl(options);
}

}  // namespace

ProcessGroup::ProcessGroup(Runtime& runtime, const topology::CclOptions& options)
    : runtime_(runtime), config_(load(options)), algorithm_(find_all_reduce(config_.module)) {
  require_wiring(algorithm_, config_);
  const contract::MachineInfo& machine = runtime.machine();
  // A flat wiring has a rank count of its own, which is not the group's.
  const bool flat = config_.wiring == topology::WiringPreset::flat;
  world_size_ = !flat && config_.world_size > 0 ? config_.world_size : machine.sips;  // K-13
  if (world_size_ != static_cast<int>(runtime.devices().size())) {
    throw Error::program(
        "COLLECTIVE_ERROR",
        fmt::format("a process group of {} ranks, one per SIP, on {} devices of this run; use --device "
                    "all and leave world_size out of the collective configuration",
                    world_size_, runtime.devices().size()));
  }
  const int pes = machine.sips * machine.cubes_per_sip * machine.pes_per_cube;
  flat_ranks_ = config_.world_size > 0 ? config_.world_size : pes;
  if (flat && flat_ranks_ != pes && flat_ranks_ != machine.sips) {
    throw Error({config_.problem_at("world_size",
                                    fmt::format("{} ranks of the wiring 'flat' are neither one per PE "
                                                "nor one per SIP of this machine",
                                                flat_ranks_),
                                    fmt::format("write {} or {}", pes, machine.sips))});
  }
  queues_ = plan_queues(make_wiring(config_, machine), config_, machine, runtime.memory());
  for (const Diagnostic& warning : config_.warnings) runtime.warn(warning.text());
  for (const Diagnostic& warning : queues_.warnings) runtime.warn(warning.text());
  runtime.host().install_queues(queues_.plan);
}

ProcessGroup::~ProcessGroup() = default;

DPPolicy ProcessGroup::all_reduce_policy() const {
  DPPolicy policy;
  policy.cube = Split::row_wise;
  if (tile_rule().owners == TileOwners::pes) {
    policy.pe = Split::row_wise;
  } else {
    policy.num_pes = 1;
  }
  if (!tile_rule().all) policy.num_cubes = policy.num_pes = 1;
  return policy;
}

TileRule ProcessGroup::tile_rule() const {
  TileRule rule;
  rule.owners = algorithm_.owners;
  if (algorithm_.wiring != topology::WiringPreset::flat) {
    rule.one = algorithm_.owners == TileOwners::cubes;
    return rule;
  }
  rule.one = flat_ranks_ == world_size_;
  rule.all = flat_ranks_ != world_size_ || runtime_.machine().cubes_per_sip * runtime_.machine().pes_per_cube == 1;
  return rule;
}

void ProcessGroup::require_own_sip(const Tensor& tensor, int sip) const {
  if (runtime_.rank_waiter() == nullptr || sip == runtime_.rank()) return;
  throw layout_error(tensor, fmt::format("it lies on SIP {0}, but rank {1} owns SIP {1}; call set_device({1}) before "
                                         "making tensors",
                                         sip, runtime_.rank()));
}

AllReduceCall ProcessGroup::describe(const Tensor& tensor, const std::string& op, const CollectiveOptions& options) {
  const contract::MachineInfo& machine = runtime_.machine();
  const TileLayout layout = tile_layout(tensor, machine, tile_rule(), "all_reduce");
  require_own_sip(tensor, layout.sip);
  require_reduction("all_reduce", op);
  const bool flat = algorithm_.wiring == topology::WiringPreset::flat;
  if (flat && options.root_cube >= 0) {
    throw Error::program("SCHEMA_ERROR", algorithm_.name + " has no root cube; leave root_cube out");
  }
  const bool one = layout.one_cube && !flat;
  AllReduceCall call;
  call.tensor = tensor;
  call.op = op;
  call.rank = layout.sip;
  call.world_size = world_size_;
  call.n_elem = layout.n_elem;
  call.tiles = layout.tiles;
  call.cube_w = one ? 1 : machine.cube_mesh_w;
  call.cube_h = one ? 1 : machine.cube_mesh_h;
  call.sip_topology = machine.sip_topology;
  call.sip_w = machine.sip_w;
  call.sip_h = machine.sip_h;
  call.root_cube = one ? -1 : options.root_cube;
  call.chunk_elements = options.chunk_elements;
  if (flat) {
    const RankGrid grid = resolve_grid(config_.topology, flat_ranks_, {config_.w, config_.h}, "ranks");
    call.grid_w = grid.w;
    call.grid_h = grid.h;
    call.wrap = config_.topology != topology::RankTopology::mesh_2d_no_wrap;
  }
  require_slot(tensor, options.chunk_elements > 0 ? std::min(options.chunk_elements, call.n_elem) : call.n_elem,
               config_.slot_size);
  return call;
}

LaunchMetrics ProcessGroup::all_reduce(const Tensor& tensor, const std::string& op, const CollectiveOptions& options) {
  const AllReduceCall call = describe(tensor, op, options);
  LaunchOptions launch;
  if (algorithm_.owners == TileOwners::cubes) launch.pes = std::vector<int>{0};
  launch.label = fmt::format("all_reduce {} of '{}'", op, tensor.name());
  PreparedLaunch prepared = runtime_.prepare(algorithm_.kernel, algorithm_.arguments(call), launch);
  meet({fmt::format("all_reduce(op = {}, {} elements per tile, {}, {} {})", op, call.n_elem, dtype_name(tensor.dtype()),
                    call.tiles, algorithm_.owners == TileOwners::cubes ? "cubes" : "PEs"),
        prepared});
  return runtime_.wait(runtime_.submit(prepared));
}

void ProcessGroup::barrier() {
  meet({"barrier()", {}});
}

void ProcessGroup::meet(Entry entry) {
  const int rank = runtime_.rank_waiter() == nullptr ? 0 : runtime_.rank();
  const int ranks = runtime_.rank_waiter() == nullptr ? 1 : runtime_.world_size();
  if (ranks != world_size_) {
    throw Error::program(
        "COLLECTIVE_ERROR",
        fmt::format("{} is called by {} rank{}, but the group has {}; spawn as many ranks as the group "
                    "has",
                    entry.what, ranks, ranks == 1 ? "" : "s", world_size_));
  }
  const std::string what = entry.what;
  meeting_[rank] = std::move(entry);
  if (static_cast<int>(meeting_.size()) < world_size_) {
    if (runtime_.rank_waiter()->meet(fmt::format("the other ranks in {}", what))) return;
    throw Error::program("COLLECTIVE_ERROR", fmt::format("rank {} waits in {} for {}", rank, what, absent()));
  }
  require_agreement();
  std::vector<std::shared_ptr<contract::KernelLaunch>> parts;
  for (const auto& [other, brought] : meeting_) {
    parts.insert(parts.end(), brought.launch.parts.begin(), brought.launch.parts.end());
  }
  if (parts.size() > 1) runtime_.start_together(parts);
  meeting_.clear();
  if (runtime_.rank_waiter() != nullptr) runtime_.rank_waiter()->end_meeting();
}

void ProcessGroup::require_agreement() const {
  std::map<std::string, std::vector<int>> groups;
  for (const auto& [rank, entry] : meeting_) groups[entry.what].push_back(rank);
  if (groups.size() == 1) return;
  std::string text;
  for (const auto& [what, ranks] : groups) {
    text += fmt::format("{}rank{} {}: {}", text.empty() ? "" : "; ", ranks.size() == 1 ? "" : "s", join(ranks), what);
  }
  throw Error::program("COLLECTIVE_ERROR", "the ranks disagree about their collective: " + text);
}

std::string ProcessGroup::absent() const {
  std::vector<int> missing;
  for (int rank = 0; rank < world_size_; ++rank) {
    if (meeting_.count(rank) == 0) missing.push_back(rank);
  }
  return fmt::format("rank{} {}, which ha{} ended without it", missing.size() == 1 ? "" : "s", join(missing),
                     missing.size() == 1 ? "s" : "ve");
}

}  // namespace kb::sw
