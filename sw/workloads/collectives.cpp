#include "sw/workloads/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sw/distributed/process_group.h"
#include "sw/workloads/ccl_support.h"
#include "sw/workloads/ranks.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

struct AllReduceResult {
  HostArray in, out;
  LaunchMetrics metrics;
};

WorkloadResult run_allreduce(Runtime& rt, const Params& params) {
  ProcessGroup group(rt, ccl_options(params));
  const std::int64_t asked = params.integer("n_elem");
  const std::int64_t n_elem = asked > 0 ? asked : group.config().n_elem;
  const Dtype dtype = params.dtype("dtype");
  const std::string op = params.text("op");
  CollectiveOptions options;
  options.root_cube = params.integer("root");
  options.chunk_elements = params.integer("chunk");
  const bool one_cube = params.text("cubes") == "one";
  group.require_candidates(one_cube, options.root_cube >= 0);
  DPPolicy tiles = group.all_reduce_policy();
  if (one_cube) tiles.num_cubes = tiles.num_pes = 1;
  const EffectiveCounts counts = effective_counts(tiles, rt.spec().cubes_per_sip, rt.spec().pes_per_cube);
  const Shape shape{tiles.pe == Split::row_wise ? counts.cubes * counts.pes : counts.cubes, n_elem};

  const auto ranks = on_every_sip(rt, "ccl-allreduce", [&](int rank, int) {
    AllReduceResult out;
    out.in = rt.computes_data()
                 ? tile_contents(contents_of(params), shape, dtype, op, rt.seed() + static_cast<std::uint64_t>(rank))
                 : HostArray::unknown(shape, dtype);
    const Tensor t = rt.empty(shape, dtype, tiles, fmt::format("T{}", rank));
    t.copy_(out.in);
    out.metrics = group.all_reduce(t, op, options);
    out.out = t.to_host();
    return out;
  });

  WorkloadResult result;
  TimeFs slowest = 0_fs;
  std::size_t pes = 0;
  std::vector<HostArray> inputs;
  for (const AllReduceResult& rank : ranks) {
    slowest = std::max(slowest, rank.metrics.exec_max);
    pes += rank.metrics.pes;
    inputs.push_back(rank.in);
  }
  const double tile = static_cast<double>(n_elem) * static_cast<double>(item_size(dtype));
  result.figures.push_back({"all-reduce", fs_to_ns(slowest), "ns", "the longest time of a PE in the kernel"});
  result.figures.push_back({"tile", tile, "B", "one of the combined parts"});
  add_rate(result, "tile bandwidth", tile, slowest, "GB/s", "bytes of a tile over that time");
  add_pe_count(result, pes);
  if (!can_verify(rt, result)) return result;
  const data::BoundedMatrix expected = all_reduced(inputs, op);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    result.verification.push_back(reduced_row(fmt::format("T{}", rank), ranks[rank].out, expected));
  }
  return result;
}

}  // namespace

data::BoundedMatrix all_reduced(const std::vector<HostArray>& inputs, const std::string& op) {
  const Shape& shape = inputs.front().shape();
  const auto width = static_cast<std::size_t>(shape[1]), rows = static_cast<std::size_t>(shape[0]);
  std::vector<Reduction> columns(width, Reduction(op, inputs.front().dtype()));
  for (const HostArray& input : inputs) {
    const std::vector<double> values = input.to_doubles();
    for (std::size_t i = 0; i < values.size(); ++i) columns[i % width].add(values[i]);
  }
  data::BoundedMatrix out = data::exact_matrix(rows, width, std::vector<double>(rows * width));
  for (std::size_t i = 0; i < out.values.size(); ++i) out.set(i, columns[i % width].result());
  return out;
}

Workload ccl_allreduce_workload() {
  std::vector<Parameter> parameters{
      Parameter::integer("n_elem", 0, "elements of a tile; 0: as configured (n_elem)", 0, "elements"),
      dtype_parameter(),
      data_parameter(),
      Parameter::choice("op", "sum", {"sum", "max", "min", "avg"}, "how the tiles are combined"),
      Parameter::choice("cubes", "all", {"all", "one"}, "a tile on every cube, or on cube 0 of each SIP only"),
      Parameter::integer("root", -1, "cube that collects; -1: the best by formula", -1)
          .tuning({"-1"})
          .at_most(Parameter::kMaxUnits),
      Parameter::integer("chunk", 0, "elements per message; 0: chosen", 0, "elements").tuning({"0"}),
  };
  for (Parameter& parameter : ccl_parameters()) parameters.push_back(std::move(parameter));
  return {"ccl-allreduce", "all-reduce of one tile per cube over all SIPs by message queues, verified",
          std::move(parameters), run_allreduce, "CCL"};
}

}  // namespace kb::sw
