// A product with a bias on one PE whose kernel has a fault: the parameter `fault` chooses one. Right without it.
#include <algorithm>
#include <string>

#include "kernels/tl/tl.h"
#include "sw/plugin/plugin.h"
#include "sw/workloads/contents.h"
#include "sw/workloads/linear_reference.h"
#include "sw/workloads/support.h"

namespace {

using kb::Dtype;
using kb::Shape;
using kb::tl::Context;
using kb::tl::Ptr;
using kb::tl::TensorHandle;
using namespace kb::sw;

constexpr std::int64_t kTile = 16;

// One tile of C (m, n) = A (m, k) x B (k, n) + bias; `acc` holds what the tile before it left there.
void product_tile(Context& tl, Ptr a, Ptr b, const TensorHandle& acc, std::int64_t row, std::int64_t col,
                  const std::string& fault) {
  const std::int64_t k = a.shape()[1], n = b.shape()[1];
  for (std::int64_t at = 0; at < k; at += kTile) {
    if (fault == "skipped-k-tile" && at == kTile) continue;
    const kb::tl::Scratch scope(tl);
    const std::int64_t depth = std::min(kTile, k - at);
    const TensorHandle left = tl.load(a + row * k + at, {kTile, depth}, a.dtype(), k);
    const TensorHandle right = tl.load(b + at * n + col, {depth, kTile}, b.dtype(), n);
    if (at == 0 && (fault != "stale-accumulator" || row + col == 0)) {
      tl.dot_into(acc, left, right);
    } else {
      tl.dot(left, right, acc);
    }
  }
}

void mutant(Context& tl, Ptr a, Ptr b, Ptr bias, Ptr c, std::string fault) {
  const std::int64_t m = c.shape()[0], n = c.shape()[1];
  const TensorHandle acc = tl.empty({kTile, kTile}, Dtype::f32);
  for (std::int64_t row = 0; row < m; row += kTile) {
    for (std::int64_t col = 0; col < n; col += kTile) {
      const kb::tl::Scratch scope(tl);
      product_tile(tl, a, b, acc, row, col, fault);
      const bool last = row + kTile == m && col + kTile == n;
      if (fault == "last-tile" && last) continue;
      TensorHandle sum = acc;
      if (fault != "no-bias") sum = acc + tl.cast(tl.load(bias + col, {1, kTile}), Dtype::f32);
      if (fault == "wrong-scale" && last) sum = sum * 2.0;
      const std::int64_t place = fault == "swapped-rows" && m == 2 * kTile ? kTile - row : row;
      tl.store(c + place * n + col, tl.cast(sum, c.dtype()), n);
    }
  }
}

WorkloadResult run(Runtime& rt, const Params& params) {
  const Dtype dtype = params.dtype("dtype");
  const std::int64_t m = 2 * kTile, k = params.integer("k"), n = 3 * kTile;
  const ProductContents contents(contents_of(params), k, dtype, dtype);
  const HostArray a = contents.left(m, rt.seed()), b = contents.right(n, rt.seed() + 1);
  const HostArray bias = bias_contents(contents_of(params), n, dtype, rt.seed() + 2);
  const auto deployed = [&](const HostArray& values, const char* name) {
    const Tensor tensor = rt.empty(values.shape(), dtype, one_pe_placement(), name);
    tensor.copy_(values);
    return tensor;
  };
  const Tensor c = rt.zeros({m, n}, dtype, one_pe_placement(), "C");
  rt.wait(rt.launch("mutant",
                    {{"a", deployed(a, "A")},
                     {"b", deployed(b, "B")},
                     {"bias", deployed(bias, "bias")},
                     {"c", c},
                     {"fault", params.text("fault")}},
                    on_one_pe()));
  WorkloadResult result;
  const HostArray c_host = c.to_host();
  if (can_verify(rt, result)) result.verification = linear_verdict("C", {&a, &b, &bias}, c_host).rows;
  return result;
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(
      kb::tl::make_kernel("mutant", "C = A x B + bias with a fault", {"a", "b", "bias", "c", "fault"}, mutant));
  registrar.add_workload({"mutant",
                          "a product whose kernel has a fault",
                          {Parameter::integer("k", 80, "columns of A", 17), dtype_parameter(), data_parameter(),
                           Parameter::choice("fault", "none",
                                             {"none", "skipped-k-tile", "no-bias", "stale-accumulator", "last-tile",
                                              "wrong-scale", "swapped-rows"},
                                             "which one")},
                          run});
}
