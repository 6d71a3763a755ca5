#include "sw/workloads/vector_add.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/distributed/spawn.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

const std::vector<std::string> kAddTensors{"A", "B", "C"};

struct RankResult {
  HostArray a, b, c;
  LaunchMetrics metrics;
};

RankResult add_on_sip(Runtime& rt, int rank, Dtype dtype, Contents contents, std::int64_t elements,
                      const std::vector<MemoryKind>& memory) {
  rt.set_device(rt.devices()[static_cast<std::size_t>(rank)]);
  DPPolicy rows;
  rows.cube = rows.pe = Split::row_wise;
  const Shape shape{std::int64_t{rt.spec().cubes_per_sip} * rt.spec().pes_per_cube, elements};

  RankResult out;
  Tensor a = rt.empty(shape, dtype, rows, fmt::format("A{}", rank), memory[0]);
  Tensor b = rt.empty(shape, dtype, rows, fmt::format("B{}", rank), memory[1]);
  Tensor c = rt.empty(shape, dtype, rows, fmt::format("C{}", rank), memory[2]);
  const std::uint64_t seed = rt.seed() + 2 * static_cast<std::uint64_t>(rank);
  out.a = plain_contents(contents, shape, dtype, seed);
  out.b = plain_contents(contents, shape, dtype, seed + 1);
  a.copy_(out.a);
  b.copy_(out.b);
  out.metrics = rt.wait(rt.launch("vector_add", {{"a", a}, {"b", b}, {"c", c}}));
  out.c = c.to_host();
  return out;
}

WorkloadResult run_vector_add(Runtime& rt, const Params& params) {
  const Dtype dtype = params.dtype("dtype");
  const std::int64_t elements = params.integer("elements_per_pe");
  const std::vector<MemoryKind> memory = memories_of(params, kAddTensors);
  const auto ranks = static_cast<int>(rt.devices().size());
  std::vector<RankResult> results(rt.devices().size());
  SpawnOptions options;
  options.name = "vector-add";
  options.mode = params.text("ranks") == "lockstep" ? RankMode::lockstep : RankMode::independent;
  spawn(
      rt, ranks,
      [&](int rank) {
        results[static_cast<std::size_t>(rank)] = add_on_sip(rt, rank, dtype, contents_of(params), elements, memory);
      },
      options);

  WorkloadResult result;
  TimeFs slowest = 0_fs;
  std::size_t pes = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const RankResult& r = results[static_cast<std::size_t>(rank)];
    add_launch_figures(result, r.metrics, fmt::format("sip{}", rt.devices()[static_cast<std::size_t>(rank)]));
    slowest = std::max(slowest, r.metrics.exec_max);
    pes += r.metrics.pes;
    verify_sum(rt, result, fmt::format("C{}", rank), r.a, r.b, r.c);
  }
  const double bytes =
      3.0 * static_cast<double>(pes) * static_cast<double>(elements) * static_cast<double>(item_size(dtype));
  add_rate(result, "memory traffic", bytes, slowest, "GB/s", "bytes read and written over the longest critical path");
  add_pe_count(result, pes);
  return result;
}

}  // namespace

Workload vector_add_workload() {
  return {"vector-add",
          "C = A + B on all PEs of all SIPs, one rank per SIP, verified",
          {
              Parameter::integer("elements_per_pe", 4096, "elements of each tensor that each PE owns", 1, "elements"),
              dtype_parameter(),
              data_parameter(),
              Parameter::choice("ranks", "lockstep", {"lockstep", "independent"},
                                "whether ranks go on together after a wait or each on its own"),
              memory_parameter(kAddTensors),
          },
          run_vector_add};
}

}  // namespace kb::sw
