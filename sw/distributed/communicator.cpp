#include "sw/distributed/communicator.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "platform/contract/kernel_launch.h"
#include "platform/ops/op_types.h"
#include "sw/distributed/algorithms.h"
#include "sw/distributed/all_reduce_costs.h"
#include "sw/tensor/join.h"

namespace kb::sw {
namespace {

// "; these are ranks 4, 1 of the run"
std::string translation(const std::vector<int>& ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] != static_cast<int>(i)) return fmt::format(", which are ranks {} of the run", join(ranks));
  }
  return "";
}

constexpr const char* kWholeTiles = "whole_tiles";
constexpr const char* kByBlocks = "by_blocks";

}  // namespace

Communicator::Communicator(Runtime& runtime, Members members, std::shared_ptr<BlockedRanks> waiting)
    : runtime_(runtime),
      members_(std::move(members)),
      waiting_(std::move(waiting)),
      rendezvous_(runtime, waiting_, members_.ranks, members_.name) {}

bool Communicator::has(int rank_of_spawn) const {
  return std::find(ranks().begin(), ranks().end(), rank_of_spawn) != ranks().end();
}

int Communicator::member() const {
  const int rank = runtime_.rank_waiter() == nullptr ? 0 : runtime_.rank();
  return static_cast<int>(std::find(ranks().begin(), ranks().end(), rank) - ranks().begin());
}

int Communicator::rank() {
  const int rank = runtime_.rank();
  if (has(rank)) return member();
  throw Error::program("COLLECTIVE_ERROR", fmt::format("rank {} is not a member{}, which has only rank{} {}", rank,
                                                       rendezvous_.of_group(), size() == 1 ? "" : "s", join(ranks())));
}

void Communicator::barrier() {
  meet({"barrier()", {}});
}

void Communicator::require_own_sip(const Tensor& tensor, int sip) const {
  if (runtime_.rank_waiter() == nullptr || sip == runtime_.rank()) return;
  throw layout_error(tensor, fmt::format("it lies on SIP {0}, but rank {1} owns SIP {1}; call set_device({1}) before "
                                         "making tensors",
                                         sip, runtime_.rank()));
}

TileLayout Communicator::tiles(const Call& call, const Tensor& tensor) const {
  TileRule rule;
  rule.any = rule.copies = rule.spread = true;
  const TileLayout layout = tile_layout(tensor, runtime_.machine(), rule, call.name);
  require_own_sip(tensor, layout.sip);
  return layout;
}

std::int64_t Communicator::block_elements(const Call& call, const TileLayout& in, const TileLayout& out) const {
  if (call.in.dtype() != call.out.dtype() || in.cubes != out.cubes) {
    throw layout_error(call.out, fmt::format("it does not fit '{}' {}: both need one dtype and tiles on the same cubes",
                                             call.in.name(), dtype_name(call.in.dtype())));
  }
  const std::int64_t block = out.n_elem / call.out_blocks;
  if (block * call.out_blocks != out.n_elem || block * call.in_blocks != in.n_elem) {
    throw layout_error(call.out,
                       fmt::format("{} of {} ranks needs tiles of {} x n and {} x n elements in and out, "
                                   "these have {} and {}",
                                   call.name, size(), call.in_blocks, call.out_blocks, in.n_elem, out.n_elem));
  }
  return block;
}

const CollectiveRecord& Communicator::all_reduce_choice(const Call& call, const TileLayout& tiles, std::int64_t fits,
                                                        bool direct) {
  const Dtype dtype = call.in.dtype();
  const std::int64_t message =
      call.options.chunk_elements > 0 ? std::min(fits, call.options.chunk_elements) : fits;  // in elements
  const auto [entry, is_new] = choices_.try_emplace({direct, dtype, call.op, tiles.n_elem, tiles.cubes, message});
  CollectiveRecord& record = entry->second;
  if (!is_new) return record;
  // Direct messages are widened for additions.
  const auto item = static_cast<double>(item_size(direct ? dtype : combined_dtype(dtype, call.op)));
  const double tile = static_cast<double>(tiles.n_elem) * item, bytes = static_cast<double>(message) * item;
  AllReduceCosts costs(runtime_.host(), members_.memory, dtype, call.op == "avg");
  const AllReduceCosts::Ranks ranks{members_.ranks, tiles.cubes, members_.topology, members_.grid_w, members_.grid_h};
  const std::int64_t block = std::max<std::int64_t>(1, tiles.n_elem / size());
  record = {call.name, "", true, static_cast<std::uint64_t>(tiles.n_elem) * item_size(dtype), size(), {}};
  if (direct) {
    DirectCosts formulas(costs, members_on(members_.ranks, tiles.cubes), members_.n_slots, true);
    for (const bool by_blocks : {false, true}) {
      const DirectPlan best = formulas.best(call.kind, by_blocks, tile, item, bytes);
      record.estimates.push_back(
          {by_blocks ? kByBlocks : kWholeTiles, best.ns, static_cast<std::int64_t>(best.message / item), -1});
    }
  } else {
    record.estimates = {{kWholeTiles, costs.whole_tiles(ranks, tile, bytes), std::min(message, tiles.n_elem), -1},
                        {kByBlocks, costs.by_blocks(ranks, tile, bytes), std::min(message, block), -1}};
  }
  record.algorithm = record.estimates[1].ns < record.estimates[0].ns ? kByBlocks : kWholeTiles;
  return record;
}

Communicator::Plan Communicator::direct_plan(const Call& call, const TileLayout& tiles, std::int64_t block) {
  const Dtype dtype = call.in.dtype();
  const auto item = static_cast<std::int64_t>(item_size(dtype));
  const std::int64_t slot = static_cast<std::int64_t>(rings_.direct->slot_size) / item;
  const std::int64_t fits = call.options.chunk_elements > 0 ? std::min(slot, call.options.chunk_elements) : slot;
  const std::int64_t links = size() == 2 ? 4 : 2;
  Plan plan{true, fits, links * members_.n_slots, false, rings_.direct};
  if (call.chooses) {
    const CollectiveRecord& choice = all_reduce_choice(call, tiles, fits, true);
    if (!call.options.by_blocks) runtime_.report(choice);
    plan.in_parts = call.options.by_blocks.value_or(choice.algorithm == kByBlocks);
    if (call.options.chunk_elements == 0) plan.chunk = choice.estimates[plan.in_parts ? 1 : 0].chunk_elements;
    return plan;
  }
  std::vector<int> named;
  for (const auto& [name, member] : call.members) named.push_back(member);
  const auto [entry, is_new] = direct_plans_.try_emplace({call.name + call.op, dtype, block, tiles.cubes, named, fits});
  if (is_new) {
    AllReduceCosts costs(runtime_.host(), members_.memory, dtype, call.op == "avg");
    DirectCosts formulas(costs, members_on(members_.ranks, tiles.cubes), members_.n_slots, true);
    entry->second = formulas.best(call.kind, static_cast<double>(block * item), static_cast<double>(item),
                                  static_cast<double>(fits * item), named.empty() ? 0 : named.front(),
                                  named.size() < 2 ? 0 : named.back());
  }
  plan.in_parts = entry->second.in_parts;
  plan.ahead = entry->second.ahead;
  if (call.options.chunk_elements == 0) plan.chunk = static_cast<std::int64_t>(entry->second.message) / item;
  return plan;
}

Communicator::Plan Communicator::path_plan(const Call& call, const TileLayout& tiles, std::int64_t block) {
  const auto fits = static_cast<std::int64_t>(members_.slot_size / item_size(combined_dtype(call.in.dtype(), call.op)));
  Plan plan{false, std::min(fits, call.options.chunk_elements > 0 ? call.options.chunk_elements : block), 1,
            call.options.by_blocks.value_or(false), rings_.path};
  if (call.chooses && !call.options.by_blocks) {
    const CollectiveRecord& choice = all_reduce_choice(call, tiles, fits, false);
    if (size() > 1) runtime_.report(choice);
    plan.in_parts = choice.algorithm == kByBlocks;
  }
  return plan;
}

Communicator::Plan Communicator::plan(const Call& call, const TileLayout& tiles, std::int64_t block) {
  const bool can = size() > 1 && rings_.direct != nullptr && rings_.direct->slot_size > 0;
  if (!can && size() > 1 && call.options.direct.value_or(false)) {
    throw Error::program("COLLECTIVE_ERROR",
                         fmt::format("{}: there is no room for rings between every two of {} ranks{}; leave it to "
                                     "'auto', use smaller or fewer slots, or a larger memory",
                                     call.name, size(), rendezvous_.of_group()));
  }
  return can && call.options.direct.value_or(true) ? direct_plan(call, tiles, block) : path_plan(call, tiles, block);
}

PreparedLaunch Communicator::prepared(const Call& call, const Plan& plan, std::int64_t block) {
  Args args{{"in", call.in},        {"out", call.out},     {"n_elem", block},        {"n_sips", size()},
            {"sip_rank", member()}, {"chunk", plan.chunk}, {"links", members_.links}};
  if (plan.direct) {
    args.emplace_back("ahead", plan.ahead);
    if (call.kind == DirectCall::broadcast || call.kind == DirectCall::reduce) {
      args.emplace_back("pieces", plan.in_parts ? 1 : 0);
    }
  } else {
    args.emplace_back("sip_topo_kind", topology_kind(members_.topology));
    args.emplace_back("sip_topo_w", members_.grid_w);
    args.emplace_back("sip_topo_h", members_.grid_h);
  }
  for (const auto& [name, member] : call.members) args.emplace_back(name, member);
  if (!call.op.empty()) args.emplace_back("op", call.op);
  if (call.chooses) args.emplace_back("by_blocks", plan.in_parts ? 1 : 0);
  LaunchOptions launch;
  launch.pes = std::vector<int>{0};
  launch.queued = call.queued;
  launch.label = fmt::format("{} of '{}'", call.name, call.in.name());
  return runtime_.prepare((plan.direct ? "direct_" : "sip_") + call.kernel, args, launch);
}

void Communicator::lay(const RingLayout& rings) {
  if (!rings_.installed->has(rings_.part, rings.queues)) rings_.installed->lay(rings_.part, rings.queues);
}

LaunchHandle Communicator::start(const Call& call) {
  require_links(call.name);
  rendezvous_.require_member(call.name);
  for (const auto& [name, member] : call.members) {
    if (member >= 0 && member < size()) continue;
    throw Error::program(
        "SCHEMA_ERROR", fmt::format("{}: {} {} is not a rank{}; the group has ranks 0 to {}{}", call.name, name, member,
                                    rendezvous_.of_group(), size() - 1, translation(ranks())));
  }
  if (!call.op.empty()) require_reduction(call.name, call.op);
  const TileLayout in = tiles(call, call.in), out = tiles(call, call.out);
  const std::int64_t block = block_elements(call, in, out);
  const Plan how = plan(call, in, block);
  std::string what = fmt::format("{}({} elements per block, {}, chunks of {}, cubes {}", call.name, block,
                                 dtype_name(call.in.dtype()), how.chunk, join(in.cubes));
  for (const auto& [name, member] : call.members) what += fmt::format(", {} {}", name, member);
  if (!call.op.empty()) what += ", op = " + call.op;
  if (call.options.by_blocks) what += *call.options.by_blocks ? ", by blocks" : ", whole tiles";
  if (call.options.direct) what += *call.options.direct ? ", direct" : ", along the path";
  if (!call.options.purpose.empty()) what += ", for " + call.options.purpose;
  Rendezvous::Entry entry{what + ")", prepared(call, how, block)};
  if (how.rings != nullptr) {
    entry.prepare = [this, rings = how.rings] { lay(*rings); };
  }
  const PreparedLaunch launch = entry.launch;
  meet(std::move(entry));
  for (const auto& part : launch.parts) {
    if (part->target_start) *part->target_start += call.options.delay;
  }
  return runtime_.submit(launch);
}

LaunchMetrics Communicator::broadcast(const Tensor& tensor, int root, const CollectiveOptions& options) {
  return run({"broadcast", DirectCall::broadcast, "broadcast", tensor, tensor, 1, 1, {{"root", root}}, "", options});
}

LaunchMetrics Communicator::reduce(const Tensor& tensor, int root, const std::string& op,
                                   const CollectiveOptions& options) {
  return run({"reduce", DirectCall::reduce, "reduce", tensor, tensor, 1, 1, {{"root", root}}, op, options});
}

LaunchMetrics Communicator::all_reduce_ranks(const Tensor& tensor, const std::string& op,
                                             const CollectiveOptions& options) {
  return all_reduce_ranks(tensor, tensor, op, options);
}

LaunchHandle Communicator::start_all_reduce_ranks(const Tensor& tensor, const std::string& op,
                                                  const CollectiveOptions& options) {
  return start(
      {"all_reduce_ranks", DirectCall::all_reduce, "allreduce", tensor, tensor, 1, 1, {}, op, options, true, true});
}

LaunchMetrics Communicator::all_reduce_ranks(const Tensor& out, const Tensor& in, const std::string& op,
                                             const CollectiveOptions& options) {
  return run({"all_reduce_ranks", DirectCall::all_reduce, "allreduce", in, out, 1, 1, {}, op, options, true});
}

LaunchMetrics Communicator::all_gather(const Tensor& out, const Tensor& in, const CollectiveOptions& options) {
  return run({"all_gather", DirectCall::all_gather, "all_gather", in, out, 1, size(), {}, "", options});
}

LaunchMetrics Communicator::gather(const Tensor& out, const Tensor& in, int root, const CollectiveOptions& options) {
  const bool collects = member() == root;
  return run({"gather",
              DirectCall::gather,
              "gather",
              in,
              collects ? out : in,
              1,
              collects ? size() : 1,
              {{"root", root}},
              "",
              options});
}

LaunchMetrics Communicator::reduce_scatter(const Tensor& out, const Tensor& in, const std::string& op,
                                           const CollectiveOptions& options) {
  return run({"reduce_scatter", DirectCall::reduce_scatter, "reduce_scatter", in, out, size(), 1, {}, op, options});
}

LaunchMetrics Communicator::scatter(const Tensor& out, const Tensor& in, int root, const CollectiveOptions& options) {
  const bool gives = member() == root;
  return run({"scatter",
              DirectCall::scatter,
              "scatter",
              gives ? in : out,
              out,
              gives ? size() : 1,
              1,
              {{"root", root}},
              "",
              options});
}

LaunchMetrics Communicator::all_to_all(const Tensor& out, const Tensor& in, const CollectiveOptions& options) {
  return run({"all_to_all", DirectCall::all_to_all, "all_to_all", in, out, size(), size(), {}, "", options});
}

LaunchMetrics Communicator::send_recv(const Tensor& tensor, int source, int target, const CollectiveOptions& options) {
  return run({"send_recv",
              DirectCall::send_recv,
              "send_recv",
              tensor,
              tensor,
              1,
              1,
              {{"source", source}, {"target", target}},
              "",
              options});
}

}  // namespace kb::sw
