#include "sw/workloads/rotary_embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platform/base/checked.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/deployed.h"
#include "sw/workloads/support.h"

namespace kb::sw {

using data::Bounded;
using data::BoundedMatrix;

HostArray rotary_table(Contents contents, const Shape& shape, Dtype dtype, double base) {
  const auto d = static_cast<std::size_t>(shape[1]), half = d / 2;
  std::vector<double> values(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t position = 0; position < values.size() / d; ++position) {
    for (std::size_t i = 0; i < half; ++i) {
      const std::size_t quarter = (position + i) % 4;
      const double angle =
          static_cast<double>(position) * std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(d));
      const bool real = contents == Contents::real;
      values[position * d + i] = real ? std::cos(angle) : quarter == 0 ? 1 : quarter == 2 ? -1 : 0;
      values[position * d + half + i] = real ? std::sin(angle) : quarter == 1 ? 1 : quarter == 3 ? -1 : 0;
    }
  }
  return HostArray::from_doubles(shape, dtype, values);
}

data::VerificationRow rotary_row(const HostArray& x, const HostArray& table, std::int64_t first, const HostArray& y) {
  const auto heads = static_cast<std::size_t>(x.shape()[1]), d = static_cast<std::size_t>(x.shape()[2]), half = d / 2;
  const std::vector<double> turns = table.to_doubles();
  BoundedMatrix expected = exact_values(x);  // replaced head by head by the expected values
  std::vector<double> head(d);
  for (std::size_t row = 0; row < expected.values.size() / d; ++row) {
    std::copy_n(expected.values.begin() + static_cast<std::ptrdiff_t>(row * d), d, head.begin());
    const double* const turn = turns.data() + (static_cast<std::size_t>(first) + row / heads) * d;
    for (std::size_t i = 0; i < d; ++i) {
      const bool low = i < half;
      const Bounded cosine{turn[i % half], 0}, sine{(low ? -1 : 1) * turn[half + i % half], 0};
      const Bounded own{head[i], 0}, other{head[low ? i + half : i - half], 0};
      const Bounded kept = data::rounded(x.dtype(), data::multiply(own, cosine));
      expected.set(row * d + i, data::multiply_add(other, sine, kept, x.dtype()));
    }
  }
  return bounded_row("Y", y, std::move(expected), {"x cos and the sum in the dtype (Higham 3.3)"});
}

namespace {

WorkloadResult run_rotary_embedding(Runtime& rt, const Params& params) {
  const Dtype dtype = params.dtype("dtype");
  const std::int64_t first = params.integer("first_position"), d = params.integer("head_dim");
  const Shape shape{params.integer("tokens"), params.integer("heads"), d};
  const Shape table_shape{checked_sum("first_position + tokens", {first, shape[0]}), d};
  if (d % 2 != 0) throw Error::program("SHAPE_ERROR", fmt::format("head_dim {} has no halves; it must be even", d));
  const bool one = params.text("pes") == "one";
  const Contents contents = contents_of(params);
  DPPolicy tokens;
  tokens.cube = tokens.pe = Split::row_wise;
  if (one) tokens = one_pe_placement();
  const Deployed x =
      deploy(rt, shape, dtype, tokens, "X", [&] { return plain_contents(contents, shape, dtype, rt.seed()); });
  const Deployed table = deploy(rt, table_shape, dtype, tokens, "table",
                                [&] { return rotary_table(contents, table_shape, dtype, params.real("base")); });
  const Tensor y = rt.empty(shape, dtype, tokens, "Y");
  Args arguments{{"x", x.tensor},
                 {"table", table.tensor},
                 {"out", y},
                 {"first_position", first},
                 {"buffers", params.text("variant") == "blocking" ? 1 : 2}};
  if (params.integer("at_once") > 0) arguments.emplace_back("tokens", params.integer("at_once"));
  const LaunchMetrics metrics = rt.wait(rt.launch("rotary_embedding", arguments, one ? on_one_pe() : LaunchOptions{}));
  const HostArray y_values = y.to_host();

  WorkloadResult result;
  add_launch_figures(result, metrics);
  const double elements =
      static_cast<double>(shape[0]) * static_cast<double>(2 * shape[1] + 1) * static_cast<double>(d);
  add_rate(result, "memory traffic", elements * static_cast<double>(item_size(dtype)), metrics.exec_max, "GB/s",
           "bytes read and written over the critical path");
  add_engine_shares(result, metrics);
  add_pe_count(result, metrics.pes);
  if (can_verify(rt, result)) result.verification.push_back(rotary_row(x.values, table.values, first, y_values));
  return result;
}

}  // namespace

Workload rotary_embedding_workload() {
  return {"rotary-embedding",
          "rotary position embedding of queries or keys, tokens split over the PEs of a SIP",
          {Parameter::integer("tokens", 4096, "split over the PEs", 1, "tokens"),
           Parameter::integer("heads", 32, "of a token, one after the other"),
           Parameter::integer("head_dim", 128, "elements of a head, an even number", 2, "elements"),
           Parameter::integer("first_position", 0, "of the first token", 0),
           Parameter::real("base", 10000, "angle i of position p is p base^(-2 i / head_dim)"),
           Parameter::choice("variant", "double_buffered", {"double_buffered", "blocking"},
                             "loads and stores beside the computation, or one after the other")
               .tuning(),
           Parameter::choice("pes", "all", {"all", "one"}, "all PEs of one SIP, or PE 0 of cube 0"),
           Parameter::integer("at_once", 0, "tokens that a PE works on; 0: 32 KiB", 0, "tokens"),
           Parameter::choice("dtype", "f16", {"f16", "bf16", "f32"}, "element type of all tensors"), data_parameter()},
          run_rotary_embedding};
}

}  // namespace kb::sw
