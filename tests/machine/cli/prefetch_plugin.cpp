// A kernel that prefetches a tile, writes to it in one of many ways, and loads it: workload `prefetch` runs all of them
// and compares what was loaded with what the memory then has.
#include <vector>

#include "kernels/tl/tl.h"
#include "sw/plugin/plugin.h"
#include "sw/workloads/support.h"

namespace {

using kb::Dtype;
using kb::Shape;
using kb::tl::Context;
using kb::tl::Future;
using kb::tl::Ptr;
using namespace kb::sw;

constexpr std::int64_t kColumns = 64, kTile = 16;

// The `way`-th write to rows of x, whose tile [0, 16) x [0, 16) was prefetched; false: there are no more.
bool write(Context& tl, Ptr x, Ptr y, std::int64_t path) {
  const std::vector<std::int64_t> rows{5, 2};
  const std::vector<bool> mask{false, true, false, true, true, false, false, true};
  switch (path) {
    case 0:
      tl.store(x + (kColumns + 6), tl.full({4}, 9.0));
      return true;
    case 1:
      tl.store(x + kColumns, tl.full({8}, 9.0), mask);
      return true;
    case 2:
      tl.scatter(x, rows, tl.full({2, kColumns}, 9.0));
      return true;
    case 3:
      tl.atomic_add(x + kColumns, tl.full({kTile}, 2.0));
      return true;
    case 4:
      tl.atomic_add(x, rows, tl.full({2, kColumns}, 2.0));
      return true;
    case 5:
      tl.wait(tl.store_async(x + 3 * kColumns, tl.full({kTile}, 9.0)));
      return true;
    case 6:
      tl.wait(tl.composite(kb::MathOp::neg, tl.ref(y, {kTile, kColumns}), x));
      return true;
    case 7:
      tl.wait(tl.composite(tl.ref(y, {kTile, kTile}, Dtype::f16, kColumns), tl.ref(y, {kTile, kColumns}), x));
      return true;
    case 8:
      tl.store((x + 7 * kColumns).as(Dtype::i16), tl.full({4}, std::int64_t{0x4000}, Dtype::i16));
      return true;
    case 9:  // beside it: the load takes the prefetch
      tl.store(x + kTile, tl.full({kColumns - kTile}, 9.0));
      return true;
    case 10:
      tl.barrier();
      return true;
    default:
      return false;
  }
}

void stale(Context& tl, Ptr x, Ptr y, Ptr out, std::int64_t path) {
  const bool in_flight = path == 11;
  Future store;
  if (in_flight) store = tl.store_async(x, tl.full({kTile, kColumns}, 9.0));
  tl.prefetch(x, {kTile, kTile}, Dtype::f16, kColumns);
  if (in_flight) tl.wait(store);
  tl.cycles(2000);  // the prefetch has ended
  write(tl, x, y, path);
  tl.store(out, tl.load(x, {kTile, kTile}, Dtype::f16, kColumns));
}

WorkloadResult run(Runtime& rt, const Params& params) {
  const DPPolicy one = one_pe_placement().in(memories_of(params, {"x"}).front());
  const Shape shape{kTile, kColumns};
  WorkloadResult result;
  for (std::int64_t path = 0; path < 12; ++path) {
    const std::string name = "way " + std::to_string(path);
    const Tensor x = rt.empty(shape, Dtype::f16, one, "x"), y = rt.empty(shape, Dtype::f16, one, "y");
    const Tensor out = rt.empty({kTile, kTile}, Dtype::f16, one, "out");
    x.copy_(HostArray::random_integers(shape, Dtype::f16, 1));
    y.copy_(HostArray::full(shape, Dtype::f16, 3));
    const LaunchMetrics metrics =
        rt.wait(rt.launch("stale", {{"x", x}, {"y", y}, {"out", out}, {"way", path}}, on_one_pe()));
    add_launch_figures(result, metrics, name);
    const HostArray after = x.to_host(), loaded = out.to_host();
    std::vector<double> tile;
    for (std::int64_t row = 0; row < kTile; ++row) {
      for (std::int64_t column = 0; column < kTile; ++column) tile.push_back(after.at(row, column));
    }
    verify_exact(rt, result, name, loaded, HostArray::from_doubles(loaded.shape(), Dtype::f16, tile));
  }
  return result;
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(
      kb::tl::make_kernel("stale", "writes to what it has prefetched", {"x", "y", "out", "way"}, stale));
  registrar.add_workload({"prefetch", "loads after own writes to what was prefetched", {memory_parameter({"x"})}, run});
}
