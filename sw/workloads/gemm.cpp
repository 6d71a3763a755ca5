#include "sw/workloads/gemm.h"

#include "platform/base/checked.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

struct Sizes {
  std::int64_t m = 0, k = 0, n = 0;
};

struct Placement {
  DPPolicy a, b, c;
  LaunchOptions launch;
};

const std::vector<std::string> kTensors{"A", "B", "C"};

std::vector<Parameter> tile_parameters() {
  return {
      Parameter::integer("tile_m", 128, "rows of an output tile", 1, "elements").tuning(),
      Parameter::integer("tile_k", 256, "depth of one step", 1, "elements").tuning(),
      Parameter::integer("tile_n", 128, "columns of an output tile", 1, "elements").tuning(),
      Parameter::integer("pad", 0, "elements behind each row of B and C, so that rows do not begin in one bank", 0,
                         "elements")
          .at_most(1'000'000)
          .tuning({"0", "64", "128", "192"}),
  };
}

// Shape (rows, columns) of the array's first columns.
HostArray first_columns(const HostArray& array, std::int64_t columns) {
  const std::int64_t rows = array.shape()[0], pitch = array.shape()[1];
  if (pitch == columns) return array;
  if (array.placeholder()) return HostArray::unknown({rows, columns}, array.dtype());
  const std::vector<double> all = array.to_doubles();
  std::vector<double> kept;
  for (std::int64_t row = 0; row < rows; ++row) {
    kept.insert(kept.end(), all.begin() + row * pitch, all.begin() + row * pitch + columns);
  }
  return HostArray::from_doubles({rows, columns}, array.dtype(), kept);
}

// Each of the `steps` tiles of K adds one rounding to the error bound of the sums.
WorkloadResult run_gemm(Runtime& rt, const Params& params, const Sizes& size, const Placement& place,
                        const std::string& kernel, std::int64_t steps) {
  const Dtype dtype = params.dtype("dtype");
  const std::vector<MemoryKind> memory = memories_of(params, kTensors);
  Tensor a = rt.empty({size.m, size.k}, dtype, place.a, "A", memory[0]);
  const std::int64_t pad = params.integer("pad");
  Tensor b = rt.empty({size.k, size.n + pad}, dtype, place.b, "B", memory[1]);
  Tensor c = rt.empty({size.m, size.n + pad}, dtype, place.c, "C", memory[2]);
  const ProductContents contents(contents_of(params), size.k, dtype, dtype);
  const HostArray a_host = contents.left(size.m, rt.seed());
  const HostArray b_host = contents.right(size.n + pad, rt.seed() + 1);
  a.copy_(a_host);
  b.copy_(b_host);
  const LaunchHandle launch = rt.launch(kernel,
                                        {{"a", a},
                                         {"b", b},
                                         {"c", c},
                                         {"m", size.m},
                                         {"k", size.k},
                                         {"n", size.n},
                                         {"tile_m", params.integer("tile_m")},
                                         {"tile_k", params.integer("tile_k")},
                                         {"tile_n", params.integer("tile_n")},
                                         {"pad", pad}},
                                        place.launch);
  const LaunchMetrics metrics = rt.wait(launch);
  const HostArray c_host = first_columns(c.to_host(), size.n);

  WorkloadResult result;
  add_launch_figures(result, metrics);
  add_rate(result, "achieved",
           2.0 * static_cast<double>(size.m) * static_cast<double>(size.k) * static_cast<double>(size.n),
           metrics.exec_max, is_float(dtype) ? "GFLOP/s" : "GOP/s", "2 m k n operations over the critical path");
  add_pe_count(result, metrics.pes);
  verify_gemm(rt, result, "C", a_host, first_columns(b_host, size.n), c_host, static_cast<double>(size.k + steps));
  return result;
}

std::int64_t steps_of(std::int64_t k, const Params& params) {
  return ceil_div(k, params.integer("tile_k"));
}

Sizes sizes(const Params& params) {
  return {params.integer("m"), params.integer("k"), params.integer("n")};
}

WorkloadResult run_single(Runtime& rt, const Params& params) {
  const Sizes size = sizes(params);
  const DPPolicy one_pe = one_pe_placement();
  return run_gemm(rt, params, size, {one_pe, one_pe, one_pe, on_one_pe()}, "gemm_single", steps_of(size.k, params));
}

WorkloadResult run_multi(Runtime& rt, const Params& params) {
  Placement place;
  place.a.cube = place.a.pe = Split::row_wise;
  place.c = place.a;
  if (params.text("b_copies") == "cube") place.b.pe = Split::row_wise;
  const std::int64_t pes = std::int64_t{rt.spec().cubes_per_sip} * rt.spec().pes_per_cube;
  const std::int64_t m = params.integer("rows_per_pe") * pes;
  const Sizes size{m, params.integer("k"), params.integer("n")};
  return run_gemm(rt, params, size, place, "gemm", steps_of(size.k, params));
}

std::vector<Parameter> with_tiles(std::vector<Parameter> parameters) {
  for (Parameter& tile : tile_parameters()) parameters.push_back(std::move(tile));
  parameters.push_back(dtype_parameter());
  parameters.push_back(data_parameter());
  parameters.push_back(memory_parameter(kTensors));
  return parameters;
}

}  // namespace

Workload gemm_single_pe_workload() {
  return {"gemm-single-pe", "C (m, n) = A (m, k) x B (k, n) on one PE, verified", with_tiles(gemm_size_parameters()),
          run_single};
}

Workload gemm_multi_pe_workload() {
  return {
      "gemm-multi-pe", "C = A x B with A and C split by rows over all PEs of a SIP, verified",
      with_tiles({
          Parameter::integer("rows_per_pe", 8, "rows of A and C that each PE owns", 1, "elements")
              .at_most(1'000'000'000),
          Parameter::integer("k", 256, "columns of A, rows of B", 1, "elements"),
          Parameter::integer("n", 256, "columns of B and C", 1, "elements"),
          Parameter::choice("b_copies", "pe", {"pe", "cube"},
                            "a whole B for every PE (in sram one per cube), or one per cube split by rows over its PEs")
              .tuning(),
      }),
      run_multi};
}

}  // namespace kb::sw
