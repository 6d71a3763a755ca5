#include "sw/workloads/matmul_composite.h"

#include <algorithm>
#include <optional>

#include "platform/base/checked.h"
#include "platform/base/error.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/epilogue_reference.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

const std::vector<std::string> kTensors{"A", "B", "C"};

bool uses_tensor(const EpilogueText& epilogue, EpilogueOp op) {
  return epilogue.op == op && !epilogue.number;
}

// Type of the product where an epilogue sees it: that of A and B until a dequant makes it f32.
Dtype bias_dtype(const std::vector<EpilogueText>& chain, Dtype dtype) {
  for (const EpilogueText& epilogue : firing_order(chain)) {
    if (uses_tensor(epilogue, EpilogueOp::bias)) break;
    if (epilogue.op == EpilogueOp::dequant && !is_float(dtype)) dtype = Dtype::f32;
  }
  return is_float(dtype) ? dtype : Dtype::i32;
}

Dtype result_dtype(const std::vector<EpilogueText>& chain, Dtype dtype) {
  const bool dequantizes =
      std::any_of(chain.begin(), chain.end(), [](const EpilogueText& e) { return e.op == EpilogueOp::dequant; });
  return dequantizes && !is_float(dtype) ? Dtype::f32 : dtype;
}

std::int64_t scale_rows(const std::vector<EpilogueText>& chain, std::int64_t k, std::int64_t tile_k) {
  const auto uses_scale = [](const EpilogueText& e) { return uses_tensor(e, EpilogueOp::dequant); };
  if (std::count_if(chain.begin(), chain.end(), uses_scale) > 1) {
    throw Error::configuration(
        "epilogue: one dequant can take the tensor of scales; give the others a number, dequant=0.5");
  }
  const auto found = std::find_if(chain.begin(), chain.end(), uses_scale);
  if (found == chain.end() || found->scope != EpilogueScope::k_tile) return 1;
  return ceil_div(k, tile_k);
}

// The chain of the parameter, checked against the types that it meets; a mistake is one of the command line.
std::vector<EpilogueText> chain_of(const std::string& text, Dtype dtype) {
  try {
    std::vector<EpilogueText> chain = parse_epilogues(text);
    const OperandRef a = OperandRef::tensor({}, {1, 1}, dtype);
    const OperandRef bias = OperandRef::tensor({}, {1, 1}, bias_dtype(chain, dtype));
    const OperandRef scale = OperandRef::tensor({}, {1, 1}, Dtype::f32);
    std::vector<Epilogue> epilogues;
    for (const EpilogueText& step : chain) {
      Epilogue epilogue{step.op, step.scope, std::nullopt};
      if (step.number) {
        epilogue.operand = OperandRef::number(*step.number, dtype);
      } else if (step.op != EpilogueOp::relu) {
        epilogue.operand = step.op == EpilogueOp::bias ? bias : scale;
      }
      epilogues.push_back(std::move(epilogue));
    }
    composite_gemm_result(a, a, epilogues, 1, result_dtype(chain, dtype));
    return chain;
  } catch (const Error& error) {
    throw Error::configuration("epilogue=" + text + ": " + error.what());
  }
}

std::vector<std::int64_t> tile_arguments(const Params& params) {
  const std::vector<std::int64_t> tile{params.integer("tile_m"), params.integer("tile_k"), params.integer("tile_n")};
  const auto absent = std::count(tile.begin(), tile.end(), 0);
  if (absent != 0 && absent != static_cast<std::ptrdiff_t>(tile.size())) {
    throw Error::configuration("give all of tile_m, tile_k and tile_n, or none");
  }
  return tile;
}

struct CompositeContents {
  HostArray a, b, bias, scale;
};

// Scales leave four bits to the product, so that what they make of it still shows each term.
CompositeContents composite_contents(const Runtime& rt, const Params& params, const std::vector<EpilogueText>& chain,
                                     std::int64_t tile_k) {
  const std::int64_t m = params.integer("m"), k = params.integer("k"), n = params.integer("n");
  const Dtype dtype = params.dtype("dtype");
  const Shape bias{1, n}, scale{scale_rows(chain, k, tile_k), n};
  const Dtype bias_type = bias_dtype(chain, dtype);
  if (!rt.computes_data()) {
    return {HostArray::unknown({m, k}, dtype), HostArray::unknown({k, n}, dtype), HostArray::unknown(bias, bias_type),
            HostArray::unknown(scale, Dtype::f32)};
  }
  const Contents contents = contents_of(params);
  const ProductContents operands(contents, k, dtype, result_dtype(chain, dtype), chain.empty() ? 0 : 4);
  const std::uint64_t seed = rt.seed();
  return {operands.left(m, seed), operands.right(n, seed + 1), bias_contents(contents, n, bias_type, seed + 2),
          contents == Contents::real ? HostArray::random(scale, Dtype::f32, seed + 3)
                                     : powers_of_two(scale, Dtype::f32, seed + 3)};
}

WorkloadResult run(Runtime& rt, const Params& params) {
  const std::int64_t m = params.integer("m"), k = params.integer("k"), n = params.integer("n");
  const Dtype dtype = params.dtype("dtype");
  const std::string& variant = params.text("variant");
  const std::string& epilogue = params.text("epilogue");
  const std::vector<EpilogueText> chain = chain_of(epilogue, dtype);
  const std::vector<std::int64_t> tile = tile_arguments(params);
  const std::int64_t tile_k = tile[1] != 0 ? tile[1] : rt.machine().tile_shape.k;

  const DPPolicy place = one_pe_placement();
  const std::vector<MemoryKind> memory = memories_of(params, kTensors);
  const auto deploy = [&](const HostArray& values, const char* name, MemoryKind kind = MemoryKind::hbm) {
    Tensor tensor = rt.empty(values.shape(), values.dtype(), place, name, kind);
    tensor.copy_(values);
    return tensor;
  };
  const CompositeContents given = composite_contents(rt, params, chain, tile_k);
  const HostArray &a_host = given.a, &b_host = given.b, &bias_host = given.bias, &scale_host = given.scale;
  const auto uses = [&](EpilogueOp op) {
    return std::any_of(chain.begin(), chain.end(), [&](const EpilogueText& e) { return uses_tensor(e, op); });
  };
  const Tensor a = deploy(a_host, "A", memory[0]), b = deploy(b_host, "B", memory[1]);
  const Tensor c = rt.empty({m, n}, result_dtype(chain, dtype), place, "C", memory[2]);
  Args arguments{{"a", a},
                 {"b", b},
                 {"c", c},
                 {"m", m},
                 {"k", k},
                 {"n", n},
                 {"a_loaded", variant == "ref" ? 0 : 1},
                 {"b_loaded", variant == "load" ? 1 : 0},
                 {"tile_m", tile[0]},
                 {"tile_k", tile[1]},
                 {"tile_n", tile[2]},
                 {"epilogue", epilogue}};
  if (uses(EpilogueOp::bias)) arguments.emplace_back("bias", deploy(bias_host, "bias"));
  if (uses(EpilogueOp::dequant)) arguments.emplace_back("scale", deploy(scale_host, "scale"));
  const LaunchMetrics metrics = rt.wait(rt.launch("gemm_composite", arguments, on_one_pe()));
  const HostArray c_host = c.to_host();

  WorkloadResult result;
  add_launch_figures(result, metrics);
  add_rate(result, "achieved", 2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n),
           metrics.exec_max, is_float(dtype) ? "GFLOP/s" : "GOP/s", "2 m k n operations over the critical path");
  add_pe_count(result, metrics.pes);
  verify_epilogues(rt, result, "C", {&a_host, &b_host, chain, &bias_host, &scale_host, tile_k}, c_host);
  return result;
}

}  // namespace

Workload matmul_composite_workload() {
  std::vector<Parameter> parameters = gemm_size_parameters();
  parameters.push_back(Parameter::choice("variant", "ref", {"ref", "load_ref", "load"},
                                         "A and B streamed tile by tile; A loaded whole before; both loaded"));
  parameters.push_back(Parameter::text("epilogue", "none",
                                       "steps on the product: a list of bias, relu, dequant, scale=<factor>, each with "
                                       ":k_tile, :output_tile or :kernel behind it if wanted; bias=<x>, dequant=<x> "
                                       "take a number instead of a random vector of n"));
  parameters.push_back(
      Parameter::integer("tile_m", 0, "rows of a tile of A and C; 0: the machine's tile shape", 0, "elements"));
  parameters.push_back(Parameter::integer("tile_k", 0, "depth of a tile; 0: the machine's", 0, "elements"));
  parameters.push_back(
      Parameter::integer("tile_n", 0, "columns of a tile of B and C; 0: the machine's", 0, "elements"));
  parameters.push_back(dtype_parameter());
  parameters.push_back(memory_parameter(kTensors));
  parameters.push_back(data_parameter());
  Workload workload{"matmul-composite",
                    "C (m, n) = A (m, k) x B (k, n) with epilogues as one composite on one PE, verified",
                    std::move(parameters), run};
  workload.environment = "matmul";
  return workload;
}

}  // namespace kb::sw
