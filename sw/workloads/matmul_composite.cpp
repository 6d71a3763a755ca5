#include "sw/workloads/matmul_composite.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "platform/base/checked.h"
#include "platform/base/error.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/epilogue_operands.h"
#include "sw/workloads/epilogue_reference.h"
#include "sw/workloads/support.h"

namespace kb::sw {
namespace {

const std::vector<std::string> kProductTensors{"A", "B", "C"};

bool uses_tensor(const EpilogueText& epilogue, EpilogueOp op) {
  return epilogue.op == op && !epilogue.number;
}

bool uses_tensor(const std::vector<EpilogueText>& chain, EpilogueOp op) {
  return std::any_of(chain.begin(), chain.end(), [&](const EpilogueText& step) { return uses_tensor(step, op); });
}

// Dtype of the bias tensor: that of A and B if its step gets floats, i32 for integers.
Dtype bias_dtype(const std::vector<Epilogue>& epilogues, Dtype dtype) {
  for (const Epilogue* epilogue : in_firing_order(epilogues)) {
    const bool takes = epilogue->op == EpilogueOp::bias && !epilogue->operand->immediate;
    if (takes) return epilogue->operand->dtype;
  }
  return is_float(dtype) ? dtype : Dtype::i32;
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

// C has the dtype of the inputs if the chain's result has the same kind of numbers.
Dtype result_dtype(Dtype inputs, Dtype after_chain) {
  return is_float(inputs) == is_float(after_chain) ? inputs : after_chain;
}

// Parses a chain and checks its types with `check`; errors name the command line.
template <typename Check>
EpilogueOperands checked_epilogues(const Params& params, const EpilogueOperands::Problem& problem, Check check) {
  const std::string& text = params.text("epilogue");
  try {
    EpilogueOperands operands(text, params, problem);
    check(operands);
    return operands;
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
  std::vector<HostArray> operands;
};

constexpr std::uint64_t kOperandSeed = 10;

std::vector<HostArray> operand_contents(const Runtime& rt, const Params& params, const EpilogueOperands& epilogues) {
  std::vector<HostArray> out;
  for (std::size_t i = 0; i < epilogues.size(); ++i) {
    out.push_back(rt.computes_data() ? epilogues.operand(i, contents_of(params), rt.seed() + kOperandSeed + i)
                                     : epilogues.unknown(i));
  }
  return out;
}

double mean_square(const HostArray& array) {
  double sum = 0;
  const std::vector<double> values = array.to_doubles();
  for (const double value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
}

// Multiplies b by a power of two so that products are about 1, where non-linear steps of a chain are sensitive to each
// term.
HostArray in_reach_of_functions(const HostArray& a, HostArray b) {
  const double square = mean_square(a) * mean_square(b) * static_cast<double>(a.shape()[1]);
  const int down = std::max(0, static_cast<int>(std::lround(std::log2(square) / 2)));
  std::vector<double> values = b.to_doubles();
  for (double& value : values) value = std::ldexp(value, -down);
  return HostArray::from_doubles(b.shape(), b.dtype(), values);
}

// Reserves four bits of the product for scales, so that their results are still sensitive to each term.
CompositeContents composite_contents(const Runtime& rt, const Params& params, const EpilogueOperands& epilogues,
                                     std::int64_t tile_k) {
  const std::int64_t m = params.integer("m"), k = params.integer("k"), n = params.integer("n");
  const Dtype dtype = params.dtype("dtype");
  const std::vector<EpilogueText>& chain = epilogues.chain();
  const Shape bias{1, n}, scale{scale_rows(chain, k, tile_k), n};
  const Dtype bias_type = bias_dtype(epilogues.epilogues(), dtype);
  std::vector<HostArray> operands = operand_contents(rt, params, epilogues);
  if (!rt.computes_data()) {
    return {HostArray::unknown({m, k}, dtype), HostArray::unknown({k, n}, dtype), HostArray::unknown(bias, bias_type),
            HostArray::unknown(scale, Dtype::f32), std::move(operands)};
  }
  const Contents contents = contents_of(params);
  const ProductContents product(contents, k, dtype, result_dtype(dtype, epilogues.result()), chain.empty() ? 0 : 4);
  const std::uint64_t seed = rt.seed();
  CompositeContents out{product.left(m, seed), product.right(n, seed + 1),
                        bias_contents(contents, n, bias_type, seed + 2),
                        contents == Contents::real ? HostArray::random(scale, Dtype::f32, seed + 3)
                                                   : powers_of_two(scale, Dtype::f32, seed + 3),
                        std::move(operands)};
  if (epilogues.has_functions() && is_float(dtype)) out.b = in_reach_of_functions(out.a, std::move(out.b));
  return out;
}

class Deployment {
 public:
  explicit Deployment(Runtime& rt) : rt_(rt), place_(one_pe_placement()) {}

  Tensor operator()(const HostArray& values, const std::string& name, MemoryKind kind = MemoryKind::hbm) const {
    Tensor tensor = rt_.empty(values.shape(), values.dtype(), place_, name, kind);
    tensor.copy_(values);
    return tensor;
  }
  Tensor empty(const Shape& shape, Dtype dtype, const std::string& name, MemoryKind kind) const {
    return rt_.empty(shape, dtype, place_, name, kind);
  }
  void add_operands(const std::vector<HostArray>& operands, Args& arguments) const {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const std::string name = "operand" + std::to_string(i + 1);
      arguments.emplace_back(name, (*this)(operands[i], name));
    }
  }

 private:
  Runtime& rt_;
  DPPolicy place_;
};

std::vector<const HostArray*> pointers(const std::vector<HostArray>& arrays) {
  std::vector<const HostArray*> out;
  for (const HostArray& array : arrays) out.push_back(&array);
  return out;
}

WorkloadResult run_composite(Runtime& rt, const Params& params) {
  const std::int64_t m = params.integer("m"), k = params.integer("k"), n = params.integer("n");
  const Dtype dtype = params.dtype("dtype");
  const std::string& variant = params.text("variant");
  const EpilogueOperands epilogues =
      checked_epilogues(params, {default_acc_dtype(dtype), dtype, m, n}, [&](const EpilogueOperands& given) {
        const OperandRef a = OperandRef::tensor({}, {m, 1}, dtype), b = OperandRef::tensor({}, {1, n}, dtype);
        composite_gemm_result(a, b, given.epilogues(), 1, result_dtype(dtype, given.result()));
      });
  const std::vector<EpilogueText>& chain = epilogues.chain();
  const std::vector<std::int64_t> tile = tile_arguments(params);
  const std::int64_t tile_k = tile[1] != 0 ? tile[1] : rt.machine().tile_shape.k;

  const std::vector<MemoryKind> memory = memories_of(params, kProductTensors);
  const Deployment deploy(rt);
  const CompositeContents given = composite_contents(rt, params, epilogues, tile_k);
  const Tensor a = deploy(given.a, "A", memory[0]), b = deploy(given.b, "B", memory[1]);
  const Tensor c = deploy.empty({m, n}, result_dtype(dtype, epilogues.result()), "C", memory[2]);
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
                 {"epilogue", params.text("epilogue")}};
  if (uses_tensor(chain, EpilogueOp::bias)) arguments.emplace_back("bias", deploy(given.bias, "bias"));
  if (uses_tensor(chain, EpilogueOp::dequant)) arguments.emplace_back("scale", deploy(given.scale, "scale"));
  deploy.add_operands(given.operands, arguments);
  const std::string& reuse = params.text("reuse_a");
  if (reuse != "machine") arguments.emplace_back("reuse_a", reuse == "auto" ? 1 : 0);
  const LaunchMetrics metrics = rt.wait(rt.launch("gemm_composite", arguments, on_one_pe()));
  const HostArray c_host = c.to_host();

  WorkloadResult result;
  add_launch_figures(result, metrics);
  add_rate(result, "achieved", 2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n),
           metrics.exec_max, is_float(dtype) ? "GFLOP/s" : "GOP/s", "2 m k n operations over the critical path");
  add_pe_count(result, metrics.pes);
  verify_epilogues(rt, result, "C",
                   EpilogueGemm{&given.a, &given.b, chain, &given.bias, &given.scale, tile_k, pointers(given.operands)},
                   c_host);
  return result;
}

std::vector<std::string> composite_math_ops() {
  std::vector<std::string> names{"cast"};
  for (int i = 0; i < kMathOps; ++i) {
    const auto op = static_cast<MathOp>(i);
    if (is_elementwise(op) && math_arity(op) == 1) names.emplace_back(math_op_name(op));
  }
  return names;
}

WorkloadResult run_math(Runtime& rt, const Params& params) {
  const std::int64_t m = params.integer("m"), n = params.integer("n");
  const Dtype dtype = params.dtype("dtype");
  const MathOp op = *parse_math_op(params.text("op"));
  try {
    composite_math_result(op, OperandRef::tensor({}, {m, n}, dtype), {}, dtype);
  } catch (const Error& error) {
    throw Error::configuration(std::string("op: ") + error.what());
  }
  Dtype y_dtype = dtype;
  const EpilogueOperands epilogues =
      checked_epilogues(params, {default_acc_dtype(dtype), dtype, m, n}, [&](const EpilogueOperands& given) {
        for (const EpilogueText& step : given.chain()) {
          const bool tensor = uses_tensor(step, EpilogueOp::bias) || uses_tensor(step, EpilogueOp::dequant);
          if (!tensor) continue;
          throw Error::program("SCHEMA_ERROR", std::string(epilogue_name(step)) +
                                                   " needs a number here; add=row and mul=row take a random row");
        }
        y_dtype = result_dtype(dtype, given.result());
        composite_math_result(op, OperandRef::tensor({}, {m, n}, dtype), given.epilogues(), y_dtype);
      });
  const std::int64_t tile_m = params.integer("tile_m"), tile_n = params.integer("tile_n");
  if ((tile_m == 0) != (tile_n == 0)) throw Error::configuration("give both of tile_m and tile_n, or none");
  const std::vector<MemoryKind> memory = memories_of(params, {"X", "Y"});
  const Deployment deploy(rt);
  const bool positive = op == MathOp::log || op == MathOp::sqrt || op == MathOp::rsqrt;
  const Contents contents = contents_of(params);
  const HostArray x_host = !rt.computes_data() ? HostArray::unknown({m, n}, dtype)
                           : positive          ? positive_contents(contents, {m, n}, dtype, rt.seed())
                                               : plain_contents(contents, {m, n}, dtype, rt.seed());
  const std::vector<HostArray> operands = operand_contents(rt, params, epilogues);
  const Tensor x = deploy(x_host, "X", memory[0]), y = deploy.empty({m, n}, y_dtype, "Y", memory[1]);
  Args arguments{{"x", x},
                 {"y", y},
                 {"op", params.text("op")},
                 {"x_loaded", params.text("variant") == "load" ? 1 : 0},
                 {"tile_m", tile_m},
                 {"tile_n", tile_n},
                 {"epilogue", params.text("epilogue")}};
  deploy.add_operands(operands, arguments);
  const LaunchMetrics metrics = rt.wait(rt.launch("math_composite", arguments, on_one_pe()));
  const HostArray y_host = y.to_host();

  WorkloadResult result;
  add_launch_figures(result, metrics);
  const auto count = static_cast<double>(m) * static_cast<double>(n);
  add_rate(result, "achieved", count, metrics.exec_max, "elements/ns", "m n elements over the critical path");
  add_pe_count(result, metrics.pes);
  verify_epilogues(rt, result, "Y", EpilogueMath{op, y_dtype, &x_host, epilogues.chain(), pointers(operands)}, y_host);
  return result;
}

}  // namespace

Workload matmul_composite_workload() {
  std::vector<Parameter> parameters = gemm_size_parameters();
  parameters.push_back(Parameter::choice("variant", "ref", {"ref", "load_ref", "load"},
                                         "A and B streamed tile by tile; A loaded whole before; both loaded")
                           .tuning());
  parameters.push_back(epilogue_parameter(
      "steps on the product: a list of bias, dequant (each a random vector of n, or a number: bias=2), relu, "
      "scale=<factor>, and "));
  parameters.push_back(operand_dtype_parameter());
  parameters.push_back(
      Parameter::choice("reuse_a", "machine", {"machine", "auto", "off"},
                        "keep the rows of A that a row of tiles uses in the TCM when they fit; machine: "
                        "as its pe_scheduler says")
          .tuning());
  parameters.push_back(
      Parameter::integer("tile_m", 0, "rows of a tile of A and C; 0: the machine's tile shape", 0, "elements")
          .tuning({"16", "32", "64", "128"}));
  parameters.push_back(Parameter::integer("tile_k", 0, "depth of a tile; 0: the machine's", 0, "elements")
                           .tuning({"16", "32", "64", "128"}));
  parameters.push_back(Parameter::integer("tile_n", 0, "columns of a tile of B and C; 0: the machine's", 0, "elements")
                           .tuning({"16", "32", "64", "128"}));
  parameters.push_back(dtype_parameter());
  parameters.push_back(memory_parameter(kProductTensors));
  parameters.push_back(data_parameter());
  Workload workload{"matmul-composite",
                    "C (m, n) = A (m, k) x B (k, n) with epilogues as one composite on one PE, verified",
                    std::move(parameters), run_composite};
  workload.environment = "matmul";
  return workload;
}

Workload math_composite_workload() {
  std::vector<Parameter> parameters{
      Parameter::integer("m", 512, "rows of X and Y", 1, "elements"),
      Parameter::integer("n", 512, "columns of X and Y", 1, "elements"),
      Parameter::choice("op", "gelu", composite_math_ops(), "the operation; a cast to the dtype of Y does nothing"),
      Parameter::choice("variant", "ref", {"ref", "load"}, "X streamed tile by tile; loaded whole before"),
      epilogue_parameter("steps on the result: a list of relu, scale=<factor>, bias=<x>, dequant=<x>, and "),
      operand_dtype_parameter(),
      Parameter::integer("tile_m", 0, "rows of a tile; 0: the machine's tile shape", 0, "elements"),
      Parameter::integer("tile_n", 0, "columns of a tile; 0: the machine's", 0, "elements"),
      dtype_parameter(),
      memory_parameter({"X", "Y"}),
      data_parameter()};
  return {"math-composite", "Y = op(X), element by element, with epilogues as one composite on one PE, verified",
          std::move(parameters), run_math};
}

}  // namespace kb::sw
