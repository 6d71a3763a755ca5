// Collectives between ranks: checks, kernel arguments, launch.
#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "sw/distributed/process_group.h"
#include "sw/tensor/join.h"

namespace kb::sw {
namespace {

void require_rank(const std::string& call, const std::string& name, int rank, int ranks) {
  if (rank >= 0 && rank < ranks) return;
  throw Error::program("SCHEMA_ERROR",
                       fmt::format("{}: {} {} is no rank; the group has ranks 0 to {}", call, name, rank, ranks - 1));
}

}  // namespace

TileLayout ProcessGroup::rank_tiles(const RankCall& call, const Tensor& tensor) const {
  TileRule rule;
  rule.any = rule.copies = true;
  const TileLayout layout = tile_layout(tensor, runtime_.machine(), rule, call.name);
  require_own_sip(tensor, layout.sip);
  return layout;
}

LaunchMetrics ProcessGroup::run(const RankCall& call) {
  if (config_.wiring != topology::WiringPreset::intercube_multisip) {
    throw Error({config_.problem_at("wiring", call.name + " needs the links between the SIPs of intercube_multisip",
                                    "choose an algorithm with that wiring")});
  }
  for (const auto& [name, rank] : call.ranks) require_rank(call.name, name, rank, world_size_);
  if (!call.op.empty()) require_reduction(call.name, call.op);
  const TileLayout in = rank_tiles(call, call.in), out = rank_tiles(call, call.out);
  if (call.in.dtype() != call.out.dtype() || in.cubes != out.cubes) {
    throw layout_error(call.out, fmt::format("it does not fit '{}' {}: both need one dtype and tiles on the same cubes",
                                             call.in.name(), dtype_name(call.in.dtype())));
  }
  const std::int64_t block = out.n_elem / call.out_blocks;
  if (block * call.out_blocks != out.n_elem || block * call.in_blocks != in.n_elem) {
    throw layout_error(call.out,
                       fmt::format("{} of {} ranks needs tiles of {} x n and {} x n elements in and out, "
                                   "these have {} and {}",
                                   call.name, world_size_, call.in_blocks, call.out_blocks, in.n_elem, out.n_elem));
  }
  const contract::MachineInfo& machine = runtime_.machine();
  const auto fits = static_cast<std::int64_t>(config_.slot_size / item_size(call.in.dtype()));
  const std::int64_t chunk = call.options.chunk_elements > 0 ? call.options.chunk_elements : std::min(fits, block);
  require_slot(call.in, std::min(chunk, block), config_.slot_size);
  std::vector<Arg> args{call.in,       call.out,      block, world_size_, in.sip, topology_kind(machine.sip_topology),
                        machine.sip_w, machine.sip_h, chunk};
  std::string what = fmt::format("{}({} elements per block, {}, chunks of {}, cubes {}", call.name, block,
                                 dtype_name(call.in.dtype()), chunk, join(in.cubes));
  for (const auto& [name, rank] : call.ranks) {
    args.emplace_back(rank);
    what += fmt::format(", {} {}", name, rank);
  }
  if (!call.op.empty()) {
    args.emplace_back(call.op);
    what += ", op = " + call.op;
  }
  LaunchOptions launch;
  launch.pes = std::vector<int>{0};
  launch.label = fmt::format("{} of '{}'", call.name, call.in.name());
  const PreparedLaunch prepared = runtime_.prepare(call.kernel, args, launch);
  meet({what + ")", prepared});
  return runtime_.wait(runtime_.submit(prepared));
}

LaunchMetrics ProcessGroup::broadcast(const Tensor& tensor, int root, const CollectiveOptions& options) {
  return run({"broadcast", "sip_broadcast", tensor, tensor, 1, 1, {{"root", root}}, "", options});
}

LaunchMetrics ProcessGroup::reduce(const Tensor& tensor, int root, const std::string& op,
                                   const CollectiveOptions& options) {
  return run({"reduce", "sip_reduce", tensor, tensor, 1, 1, {{"root", root}}, op, options});
}

LaunchMetrics ProcessGroup::all_reduce_ranks(const Tensor& tensor, const std::string& op,
                                             const CollectiveOptions& options) {
  return run({"all_reduce_ranks", "sip_allreduce", tensor, tensor, 1, 1, {}, op, options});
}

LaunchMetrics ProcessGroup::all_gather(const Tensor& out, const Tensor& in, const CollectiveOptions& options) {
  return run({"all_gather", "sip_all_gather", in, out, 1, world_size_, {}, "", options});
}

LaunchMetrics ProcessGroup::gather(const Tensor& out, const Tensor& in, int root, const CollectiveOptions& options) {
  const bool collects = rank() == root;
  return run(
      {"gather", "sip_gather", in, collects ? out : in, 1, collects ? world_size_ : 1, {{"root", root}}, "", options});
}

LaunchMetrics ProcessGroup::reduce_scatter(const Tensor& out, const Tensor& in, const std::string& op,
                                           const CollectiveOptions& options) {
  return run({"reduce_scatter", "sip_reduce_scatter", in, out, world_size_, 1, {}, op, options});
}

LaunchMetrics ProcessGroup::scatter(const Tensor& out, const Tensor& in, int root, const CollectiveOptions& options) {
  const bool gives = rank() == root;
  return run(
      {"scatter", "sip_scatter", gives ? in : out, out, gives ? world_size_ : 1, 1, {{"root", root}}, "", options});
}

LaunchMetrics ProcessGroup::all_to_all(const Tensor& out, const Tensor& in, const CollectiveOptions& options) {
  return run({"all_to_all", "sip_all_to_all", in, out, world_size_, world_size_, {}, "", options});
}

LaunchMetrics ProcessGroup::send_recv(const Tensor& tensor, int source, int target, const CollectiveOptions& options) {
  return run(
      {"send_recv", "sip_send_recv", tensor, tensor, 1, 1, {{"source", source}, {"target", target}}, "", options});
}

}  // namespace kb::sw
