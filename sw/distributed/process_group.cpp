#include "sw/distributed/process_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/base/nearest.h"
#include "sw/distributed/wiring.h"
#include "sw/tensor/join.h"

namespace kb::sw {
namespace {

topology::CclConfig load(topology::CclOptions options) {
  options.modules = algorithm_names();
  return topology::load_ccl(options);
}

Error layout_error(const Tensor& tensor, const std::string& text) {
  return Error::program("LAYOUT_ERROR", fmt::format("tensor '{}' {} {}: {}", tensor.name(), dtype_name(tensor.dtype()),
                                                    format_shape(tensor.shape()), text));
}

constexpr char kLayoutRemedy[] =
    "give it one row per cube, DPPolicy{cube = row_wise, num_pes = 1}, or put all of it on PE 0 of one cube";

}  // namespace

ProcessGroup::ProcessGroup(Runtime& runtime, const topology::CclOptions& options)
    : runtime_(runtime), config_(load(options)), algorithm_(find_all_reduce(config_.module)) {
  const contract::MachineInfo& machine = runtime.machine();
  world_size_ = config_.world_size > 0 ? config_.world_size : machine.sips;  // K-13
  if (world_size_ != static_cast<int>(runtime.devices().size())) {
    throw Error::program(
        "COLLECTIVE_ERROR",
        fmt::format("a process group of {} ranks, one per SIP, on {} devices of this run; use --device "
                    "all and leave world_size out of the collective configuration",
                    world_size_, runtime.devices().size()));
  }
  queues_ = plan_queues(make_wiring(config_, machine), config_, machine, runtime.memory());
  for (const Diagnostic& warning : config_.warnings) runtime.warn(warning.text());
  for (const Diagnostic& warning : queues_.warnings) runtime.warn(warning.text());
  runtime.host().install_queues(queues_.plan);
}

ProcessGroup::~ProcessGroup() = default;

AllReduceCall ProcessGroup::describe(const Tensor& tensor, const std::string& op, const CollectiveOptions& options) {
  static const std::vector<std::string> kOps{"sum", "max", "min", "avg"};
  if (!tensor.deployed()) {
    throw Error::program("TENSOR_ERROR", "all_reduce needs a tensor on the device; make it with empty() or zeros()");
  }
  if (std::find(kOps.begin(), kOps.end(), op) == kOps.end()) {
    throw Error::program("SCHEMA_ERROR", "all_reduce has no operation '" + op + "'; " + suggest(op, kOps));
  }
  const contract::MachineInfo& machine = runtime_.machine();
  const std::vector<ShardSpec>& shards = tensor.placement();
  std::set<CubeId> cubes;
  for (const ShardSpec& shard : shards) {
    cubes.insert(shard.owner.cube);
    if (shard.owner.pe.value != 0)
      throw layout_error(tensor, fmt::format("{} holds a part of it; {}", pe_name(shard.owner), kLayoutRemedy));
    if (shard.nbytes != shards.front().nbytes) throw layout_error(tensor, "its tiles differ in size");
  }
  const bool one = cubes.size() == 1;
  if (shards.size() != cubes.size() || (!one && static_cast<int>(cubes.size()) != machine.cubes_per_sip)) {
    throw layout_error(tensor, fmt::format("{} shards on {} of {} cubes; {}", shards.size(), cubes.size(),
                                           machine.cubes_per_sip, kLayoutRemedy));
  }
  if (!one && tensor.policy().cube == Split::replicate) {
    throw layout_error(tensor, fmt::format("its tiles are copies of each other; {}", kLayoutRemedy));
  }
  AllReduceCall call;
  call.tensor = tensor;
  call.op = op;
  call.rank = static_cast<int>(shards.front().owner.sip.value);
  call.world_size = world_size_;
  call.n_elem = static_cast<std::int64_t>(shards.front().nbytes / item_size(tensor.dtype()));
  call.cube_w = one ? 1 : machine.cube_mesh_w;
  call.cube_h = one ? 1 : machine.cube_mesh_h;
  call.sip_topology = machine.sip_topology;
  call.sip_w = machine.sip_w;
  call.sip_h = machine.sip_h;
  call.root_cube = one ? -1 : options.root_cube;
  call.chunk_elements = options.chunk_elements;
  const std::int64_t message = options.chunk_elements > 0 ? std::min(options.chunk_elements, call.n_elem) : call.n_elem;
  const std::uint64_t nbytes = static_cast<std::uint64_t>(message) * item_size(tensor.dtype());
  if (nbytes > config_.slot_size) {
    throw layout_error(tensor,
                       fmt::format("a tile of {} does not fit a slot of {}; enlarge slot_size in the collective "
                                   "configuration, or send it in chunks (CollectiveOptions::chunk_elements, at "
                                   "most {})",
                                   format_bytes(nbytes), format_bytes(config_.slot_size),
                                   config_.slot_size / item_size(tensor.dtype())));
  }
  return call;
}

LaunchMetrics ProcessGroup::all_reduce(const Tensor& tensor, const std::string& op, const CollectiveOptions& options) {
  const AllReduceCall call = describe(tensor, op, options);
  LaunchOptions launch;
  launch.pes = std::vector<int>{0};
  launch.label = fmt::format("all_reduce {} of '{}'", op, tensor.name());
  PreparedLaunch prepared = runtime_.prepare(algorithm_.kernel, algorithm_.arguments(call), launch);
  meet({fmt::format("all_reduce(op = {}, {} elements per tile, {}, {} cubes)", op, call.n_elem,
                    dtype_name(tensor.dtype()), call.cube_w * call.cube_h),
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
    text += fmt::format("{}rank{} {}: {}", text.empty() ? "" : "; ", ranks.size() == 1 ? "" : "s",
                        join(ranks), what);
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
