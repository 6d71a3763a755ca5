#include "sw/parallel/linear_layers.h"

#include <fmt/format.h>

#include "platform/base/checked.h"
#include "platform/base/error.h"
#include "sw/parallel/host_parts.h"
#include "sw/parallel/layouts.h"
#include "sw/parallel/regions.h"

namespace kb::sw {
namespace {

void require_width(const std::string& name, const Tensor& x, std::int64_t columns) {
  if (x.shape()[1] == columns) return;
  throw Error::program("SHAPE_ERROR", fmt::format("{}: '{}' {} has {} columns, the layer takes {}", name, x.name(),
                                                  format_shape(x.shape()), x.shape()[1], columns));
}

// x W with the bias as an epilogue if it is valid.
Tensor product(ModelParallel& mp, const std::string& name, const Tensor& x, const Tensor& w, const Tensor& bias) {
  Runtime& rt = mp.runtime();
  const Tensor rows = with_whole_rows(mp, x, name);
  const Shape shape{x.shape()[0], w.shape()[1]};
  const Tensor y = rt.empty(shape, w.dtype(), split_columns(rt.machine(), shape[1]), name);
  Args args{{"x", rows}, {"w", w}, {"y", y}};
  if (bias.valid()) args.insert(args.end(), {{"epilogue", "bias"}, {"bias", bias}});
  mp.run(name + ": linear", StepKind::product, "linear", args);
  return y;
}

Tensor parameter(Runtime& rt, const Shape& shape, const LinearOptions& options, const char* what) {
  return rt.zeros(shape, options.dtype, split_columns(rt.machine(), shape[1]), options.name + "." + what,
                  options.memory);
}

HostArray seeded(const Runtime& rt, const Shape& shape, const LinearOptions& options,
                 HostArray (*make)(std::int64_t, std::int64_t, Dtype, std::uint64_t, InitialValues), std::int64_t in) {
  if (!rt.computes_data()) return HostArray::unknown(shape, options.dtype);
  return make(in, shape[1], options.dtype, *options.seed, options.values);
}

// Creates weights and bias as the options request.
template <typename Layer>
void initialise(const Layer& layer, const Runtime& rt, std::int64_t in, std::int64_t out,
                const LinearOptions& options) {
  if (!options.seed) return;
  const HostArray weight = seeded(rt, {in, out}, options, seeded_weight, in);
  if (!options.bias) return layer.load(weight);
  layer.load(weight, seeded(rt, {1, out}, options, seeded_bias, in));
}

[[noreturn]] void refuse_bias(const std::string& name) {
  throw Error::program("SCHEMA_ERROR", name + " has no bias; set LinearOptions::bias");
}

}  // namespace

ColumnParallelLinear::ColumnParallelLinear(ModelParallel& mp, std::int64_t in, std::int64_t out,
                                           const LinearOptions& options)
    : mp_(mp), in_(in), out_(out), options_(options) {
  mp.require_device(options.name);
  if (options_.parts.empty()) options_.parts = {out};
  std::int64_t sum = 0;
  for (const std::int64_t part : options_.parts) {
    static_cast<void>(share(part));
    sum = checked_sum(options.name + ": columns of the parts", {sum, part});
  }
  if (sum != out) {
    throw Error::program("SHAPE_ERROR",
                         fmt::format("{}: the parts have {} columns together, the layer {}", options.name, sum, out));
  }
  if (options.gather_output && options_.parts.size() > 1) {
    throw Error::program("SCHEMA_ERROR", options.name + ": an output of several parts cannot be gathered");
  }
  if (options.pad && (options.gather_output || options_.parts.size() > 1)) {
    throw Error::program("SCHEMA_ERROR", options.name + ": an output that is padded has one part and stays split");
  }
  const std::int64_t own = options.pad ? share(out) : out / mp.size();
  weight_ = parameter(mp.runtime(), {in, own}, options_, "weight");
  if (options.bias) bias_ = parameter(mp.runtime(), {1, own}, options_, "bias");
  initialise(*this, mp.runtime(), in, out, options_);
}

std::int64_t ColumnParallelLinear::share(std::int64_t part) const {
  return options_.pad ? mp_.padded_share(part) : mp_.share(part, options_.name + ": out features");
}

Tensor ColumnParallelLinear::forward(const Tensor& x) const {
  mp_.require_tensor(options_.name, x, options_.dtype);
  require_width(options_.name, x, in_);
  const Tensor y = product(mp_, options_.name, x, weight_, bias_);
  return options_.gather_output ? gather_from_region(mp_, y, options_.name) : y;
}

void ColumnParallelLinear::load(const HostArray& weight) const {
  require_array(options_.name + ": its weight", weight, {in_, out_}, options_.dtype);
  weight_.copy_(own_columns(weight));
}

void ColumnParallelLinear::load(const HostArray& weight, const HostArray& bias) const {
  if (!options_.bias) refuse_bias(options_.name);
  require_array(options_.name + ": its bias", bias, {1, out_}, options_.dtype);
  load(weight);
  bias_.copy_(own_columns(bias));
}

HostArray ColumnParallelLinear::own_columns(const HostArray& whole) const {
  std::int64_t first = 0;
  std::optional<HostArray> out;
  for (const std::int64_t part : options_.parts) {
    const std::int64_t own = share(part);
    const HostArray columns = columns_of(whole, first + mp_.rank() * own, own);
    out = out ? side_by_side(*out, columns) : columns;
    first += part;
  }
  return *out;
}

RowParallelLinear::RowParallelLinear(ModelParallel& mp, std::int64_t in, std::int64_t out, const LinearOptions& options)
    : mp_(mp), in_(in), out_(out), options_(options) {
  mp.require_device(options.name);
  if (options.pad && !options.input_is_parallel) {
    throw Error::program("SCHEMA_ERROR", options.name + ": an input that is padded is split already");
  }
  share_ = options.pad ? mp.padded_share(in) : mp.share(in, options.name + ": in features");
  weight_ = parameter(mp.runtime(), {share_, out}, options_, "weight");
  if (options.bias) bias_ = parameter(mp.runtime(), {1, out}, options_, "bias");
  initialise(*this, mp.runtime(), in, out, options_);
}

Tensor RowParallelLinear::forward(const Tensor& x) const {
  mp_.require_tensor(options_.name, x, options_.dtype);
  require_width(options_.name, x, options_.input_is_parallel ? share_ : in_);
  const Tensor part = options_.input_is_parallel ? x : scatter_to_region(mp_, x, options_.name);
  const Tensor y = reduce_from_region(mp_, product(mp_, options_.name, part, weight_, Tensor()), options_.name);
  if (bias_.valid())
    mp_.run(options_.name + ": bias", StepKind::pointwise, "add_bias", {{"x", y}, {"bias", bias_}, {"out", y}});
  return y;
}

void RowParallelLinear::load(const HostArray& weight) const {
  require_array(options_.name + ": its weight", weight, {in_, out_}, options_.dtype);
  weight_.copy_(rows_of(weight, mp_.rank() * share_, share_));
}

void RowParallelLinear::load(const HostArray& weight, const HostArray& bias) const {
  if (!options_.bias) refuse_bias(options_.name);
  require_array(options_.name + ": its bias", bias, {1, out_}, options_.dtype);
  load(weight);
  bias_.copy_(bias);
}

}  // namespace kb::sw
