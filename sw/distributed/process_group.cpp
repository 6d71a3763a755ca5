#include "sw/distributed/process_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "platform/base/error.h"
#include "platform/ops/op_types.h"
#include "sw/distributed/wiring.h"

namespace kb::sw {
namespace {

topology::CclConfig load(topology::CclOptions options, const Runtime& runtime) {
  options.modules = all_reduces_of(runtime).names();
  return topology::load_ccl(options);
}

std::vector<int> all_ranks(const Runtime& runtime, const topology::CclConfig& config) {
  // A flat wiring has its own rank count, which differs from the group's.
  const bool flat = config.wiring == topology::WiringPreset::flat;
  const int sips = runtime.machine().sips;
  const int count = !flat && config.world_size > 0 ? config.world_size : sips;  // K-13
  if (count != sips) {
    throw Error({config.problem_at("world_size", fmt::format("{} ranks, one per SIP, on a machine of {}", count, sips),
                                   fmt::format("write {}, or leave the key out", sips))});
  }
  if (sips != static_cast<int>(runtime.devices().size())) {
    throw Error::program("COLLECTIVE_ERROR",
                         fmt::format("a process group of {} ranks, one per SIP, on {} of the devices; use --device all",
                                     sips, runtime.devices().size()));
  }
  if (runtime.rank_waiter() != nullptr) {
    throw Error::program("COLLECTIVE_ERROR",
                         "a rank cannot make a process group; make it in the main program, before its spawn (K-12)");
  }
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

}  // namespace

struct ProcessGroup::Setup {
  topology::CclConfig config;
  AllReduceAlgorithm algorithm;
  bool candidates_named = false;
  int flat_ranks = 0;
  std::uint64_t group_slot_size = 0, named_slot_size = 0;
  std::shared_ptr<void> queues;
  Wiring wiring;
};

ProcessGroup::Setup ProcessGroup::set_up(Runtime& runtime, const topology::CclOptions& options) {
  Setup setup;
  setup.config = load(options, runtime);
  topology::CclConfig& config = setup.config;
  all_ranks(runtime, config);
  const contract::MachineInfo& machine = runtime.machine();
  if (config.links_only()) {
    setup.algorithm.wiring = config.wiring;
  } else {
    setup.algorithm = all_reduces_of(runtime).find(config.module);
  }
  const bool automatic = config.module == topology::kDefaultAlgorithm;
  if (automatic) {
    setup.algorithm.owners = chosen_owners(config, machine);
    if (setup.algorithm.owners == TileOwners::pes) config.intra_cube = topology::IntraCube::ring;
  } else if (!config.links_only()) {
    require_tiles(setup.algorithm, config);
  }
  if (!config.links_only()) require_wiring(setup.algorithm, config);
  setup.candidates_named = automatic && !config.candidates.empty();
  if (setup.candidates_named) {
    const AllReduceChooser chooser(runtime.host(), config, setup.algorithm.owners);
    sw::require_candidates(config, chooser.use_of(machine.sips, machine.sip_topology, false, -1));
  } else if (!config.candidates.empty()) {
    config.warnings.push_back(config.problem_at(
        "candidates", fmt::format("nothing is chosen from them: algorithm '{}' is used as it is", config.algorithm),
        fmt::format("leave them out, or take the algorithm '{}'", topology::kDefaultAlgorithm)));
  }
  const bool flat = config.wiring == topology::WiringPreset::flat;
  const int pes = machine.sips * machine.cubes_per_sip * machine.pes_per_cube;
  setup.flat_ranks = config.world_size > 0 ? config.world_size : pes;
  if (flat && setup.flat_ranks != pes && setup.flat_ranks != machine.sips) {
    throw Error({config.problem_at("world_size",
                                   fmt::format("{} ranks of the wiring 'flat' are neither one per PE "
                                               "nor one per SIP of this machine",
                                               setup.flat_ranks),
                                   fmt::format("write {} or {}", pes, machine.sips))});
  }
  if (flat) require_ranks(setup.algorithm, config, setup.flat_ranks);
  setup.queues = runtime.claim_queues();
  setup.wiring = make_wiring(config, machine);
  // A slot holds at least one element of any dtype.
  if (config.slot_size > 0) config.slot_size = std::max<std::uint64_t>(config.slot_size, item_size(Dtype::i64));
  setup.named_slot_size = config.slot_size;
  setup.group_slot_size = config.slot_size > 0 ? config.slot_size : kUsualSlotBytes;
  if (config.slot_size == 0) config.slot_size = chosen_slot_size(setup.wiring, config, machine);
  return setup;
}

ProcessGroup::ProcessGroup(Runtime& runtime, const topology::CclOptions& options)
    : ProcessGroup(runtime, set_up(runtime, options)) {}

ProcessGroup::ProcessGroup(Runtime& runtime, Setup setup)
    : Communicator(
          runtime,
          {all_ranks(runtime, setup.config), "", setup.config.slot_size, runtime.machine().sip_topology,
           runtime.machine().sip_w, runtime.machine().sip_h, setup.config.buffer_kind, "global_", setup.config.n_slots},
          std::make_shared<BlockedRanks>()),
      config_(std::move(setup.config)),
      algorithm_(std::move(setup.algorithm)),
      chooser_(runtime.host(), config_, algorithm_.owners),
      candidates_named_(setup.candidates_named),
      flat_ranks_(setup.flat_ranks),
      group_slot_size_(setup.group_slot_size),
      named_slot_size_(setup.named_slot_size),
      queues_(std::move(setup.queues)),
      installed_(runtime.host()) {
  PlannedQueues planned = plan_queues(setup.wiring, config_, runtime.machine(), runtime.memory());
  rings_per_pe_ = setup.wiring.directions.size();
  ring_bytes_ = rings_per_pe_ * config_.n_slots * config_.slot_size;
  for (const Diagnostic& warning : config_.warnings) runtime.warn(warning.text());
  for (const Diagnostic& warning : planned.warnings) runtime.warn(warning.text());
  configured_ = std::move(planned.plan);
  memory_ = std::move(planned.memory);
  const std::size_t part = installed_.add_part();
  pool_part_ = installed_.add_part();
  make_pool();
  installed_.lay(part, configured_);
  waiting()->world_size = world_size();
}

void ProcessGroup::make_pool() {
  const contract::MachineInfo& machine = runtime().machine();
  std::vector<PoolWiring> wirings;
  const bool direct = has_sip_links() && world_size() > 1;
  if (direct) wirings.push_back({make_direct_wiring(ranks(), "global_", machine), named_slot_size_});
  std::set<Hops> hops;
  if (is_automatic()) hops = chooser_.required_rings();
  const std::vector<PeCoord> ring = ring_of_owners(machine, algorithm_.owners);
  for (const Hops distances : hops) wirings.push_back({make_hop_wiring(ring, distances), named_slot_size_});
  if (wirings.empty()) return;
  const std::uint64_t room = ring_room(config_, machine) / 4 * 3;
  pool_ = make_ring_pool(wirings, config_, machine, runtime().memory(), room - std::min(room, ring_bytes_));
  use_rings({&installed_, pool_part_, direct ? &pool_.layouts.front() : nullptr, nullptr});
  std::map<Hops, const RingLayout*> laid;
  std::size_t next = direct ? 1 : 0;
  for (const Hops distances : hops) laid[distances] = &pool_.layouts[next++];
  if (is_automatic()) chooser_.use_rings(std::move(laid));
}

void ProcessGroup::drop_pool() {
  installed_.clear(pool_part_);
  pool_ = {};
}

void ProcessGroup::require_algorithm() const {
  if (!config_.links_only()) return;
  throw Error({config_.problem_at(
      "module", fmt::format("'{}' has links and no all-reduce, which the workload calls", config_.algorithm),
      fmt::format("name an algorithm, e.g. '{}'", topology::kDefaultAlgorithm))});
}

void ProcessGroup::require_candidates(bool one_cube, bool has_root) const {
  if (!candidates_named_) return;
  const contract::MachineInfo& machine = runtime().machine();
  const int cube = one_cube && machine.cubes_per_sip > 1 ? 0 : -1;
  sw::require_candidates(config_, chooser_.use_of(world_size(), machine.sip_topology, has_root, cube));
}

DPPolicy ProcessGroup::all_reduce_policy() const {
  require_algorithm();
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
  rule.one = flat_ranks_ == world_size();
  rule.all = flat_ranks_ != world_size() || runtime().machine().cubes_per_sip * runtime().machine().pes_per_cube == 1;
  return rule;
}

AllReduceCall ProcessGroup::describe(const Tensor& tensor, const TileLayout& layout, const std::string& op,
                                     const CollectiveOptions& options) {
  const contract::MachineInfo& machine = runtime().machine();
  require_own_sip(tensor, layout.sip);
  require_reduction("all_reduce", op);
  const bool flat = algorithm_.wiring == topology::WiringPreset::flat;
  if (flat && options.root_cube >= 0) {
    throw Error::program("SCHEMA_ERROR", algorithm_.name + " has no root cube; leave the root out");
  }
  if (options.root_cube >= machine.cubes_per_sip) {
    throw Error::program("SCHEMA_ERROR", fmt::format("all_reduce: root {} is not a cube; a SIP has cubes 0 to {}",
                                                     options.root_cube, machine.cubes_per_sip - 1));
  }
  const bool one = layout.one_cube && !flat && algorithm_.owners == TileOwners::cubes;
  AllReduceCall call;
  call.tensor = tensor;
  call.op = op;
  call.rank = layout.sip;
  call.world_size = world_size();
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
  return call;
}

// The choice of `auto`, or the configured algorithm with defaults for what the call does not set.
AllReducePlan ProcessGroup::planned(AllReduceCall call, const TileLayout& layout) {
  const bool one = layout.one_cube && runtime().machine().cubes_per_sip > 1;
  const int cube = one ? layout.cubes.front() : -1;
  if (is_automatic()) {
    require_candidates(layout.one_cube, call.root_cube >= 0);
    const CollectiveRecord& choice = chooser_.choose(call, cube);
    runtime().report(choice);
    return chooser_.plan(call, choice);
  }
  const bool is_hierarchy = algorithm_.wiring != topology::WiringPreset::flat;
  if (is_hierarchy && call.root_cube < 0 && call.cube_w * call.cube_h > 1) {
    call.root_cube = chooser_.hierarchy(call, cube).root;
  }
  const auto fits =
      static_cast<std::int64_t>(config_.slot_size / item_size(combined_dtype(call.tensor.dtype(), call.op)));
  const std::int64_t wanted = call.chunk_elements > 0 ? call.chunk_elements : call.n_elem;
  if (wanted > fits) call.chunk_elements = fits;
  call.ahead = config_.n_slots;
  return {algorithm_.kernel, algorithm_.arguments(call)};
}

LaunchMetrics ProcessGroup::all_reduce(const Tensor& tensor, const std::string& op, const CollectiveOptions& options) {
  require_algorithm();
  const TileLayout layout = tile_layout(tensor, runtime().machine(), tile_rule(), "all_reduce");
  const AllReduceCall call = describe(tensor, layout, op, options);
  const AllReducePlan plan = planned(call, layout);
  LaunchOptions launch;
  if (algorithm_.owners == TileOwners::cubes) launch.pes = std::vector<int>{0};
  launch.label = fmt::format("all_reduce {} of '{}'", op, tensor.name());
  PreparedLaunch prepared = runtime().prepare(plan.kernel, plan.arguments, launch);
  Rendezvous::Entry entry{
      fmt::format("all_reduce(op = {}, {} elements per tile, {}, {} {})", op, call.n_elem, dtype_name(tensor.dtype()),
                  call.tiles, algorithm_.owners == TileOwners::cubes ? "cubes" : "PEs"),
      prepared};
  if (plan.rings != nullptr) {
    entry.prepare = [this, rings = plan.rings] { lay(*rings); };
  }
  meet(std::move(entry));
  return runtime().wait(runtime().submit(prepared));
}

bool ProcessGroup::has_sip_links() const {
  return config_.links.empty() && config_.wiring == topology::WiringPreset::intercube_multisip;
}

void ProcessGroup::require_links(const std::string& call) const {
  if (has_sip_links()) return;
  throw Error({config_.problem_at("wiring", call + " needs the links between the SIPs of intercube_multisip",
                                  "choose an algorithm with that wiring")});
}

}  // namespace kb::sw
