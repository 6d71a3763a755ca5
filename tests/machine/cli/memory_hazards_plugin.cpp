// Every PE reads and writes the same small window of one memory at random, without waiting for the others or for
// itself: partial units of 32 B, several requests under way, the same bytes again and again. What each read found goes
// to a row of its own. `file` receives both tensors, an element a line.
#include <fmt/format.h>

#include <fstream>
#include <random>
#include <utility>
#include <vector>

#include "kernels/tl/tl.h"
#include "sw/plugin/plugin.h"
#include "sw/workloads/support.h"

namespace {

using kb::Dtype;
using kb::tl::Context;
using kb::tl::Ptr;
using namespace kb::sw;

constexpr std::int64_t kWindow = 192;  // elements of 4 B: three bursts of 256 B
constexpr std::int64_t kAccesses = 40, kMost = 100;

// The n-th store of a PE has a number that no other store has.
void use_window(Context& tl, Ptr window, Ptr found, std::int64_t seed) {
  const std::int64_t me = tl.program_id(0);
  std::mt19937 random(static_cast<unsigned>(seed * 64 + me));
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(bound));
  };
  std::vector<std::pair<kb::tl::Future, std::int64_t>> open;  // reads, and their row
  std::int64_t number = me * kAccesses;
  const auto keep_oldest = [&] {
    tl.store(found + (me * kAccesses + open.front().second) * kMost, tl.wait(open.front().first));
    open.erase(open.begin());
  };
  for (std::int64_t i = 0; i < kAccesses; ++i) {
    const std::int64_t elements = 1 + below(below(4) == 0 ? kMost : 12);
    const Ptr at = window + below(kWindow - elements + 1);
    if (below(2) == 0) {
      tl.store_async(at, tl.full({elements}, ++number, Dtype::i32));
    } else {
      open.emplace_back(tl.load_async(at, {elements}), i);
    }
    if (open.size() > 3 || (!open.empty() && below(4) == 0)) keep_oldest();
    tl.cycles(below(3) == 0 ? below(200) : 0);
  }
  while (!open.empty()) keep_oldest();
  tl.wait();
}

WorkloadResult run_hazards(Runtime& rt, const Params& params) {
  DPPolicy rows;
  rows.pe = Split::row_wise;
  rows.num_cubes = 1;
  const std::int64_t pes = rt.machine().pes_per_cube;
  const Tensor window = rt.zeros({kWindow}, Dtype::i32, one_pe_placement(), "window");
  const Tensor found = rt.zeros({pes, kAccesses * kMost}, Dtype::i32, rows, "found");
  LaunchOptions options;
  options.cubes = {0};
  rt.wait(rt.launch("use_window", {{"window", window}, {"found", found}, {"seed", params.integer("case")}}, options));
  std::ofstream file(params.text("file"));
  for (const Tensor& tensor : {window, found}) {
    for (const double value : tensor.to_host().to_doubles()) file << fmt::format("{}\n", static_cast<int>(value));
  }
  return {};
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(
      kb::tl::make_kernel("use_window", "random accesses to one window", {"window", "found", "seed"}, use_window));
  registrar.add_workload({"memory-hazards",
                          "all PEs read and write the same bytes",
                          {Parameter::integer("case", 0, "of the random numbers", 0),
                           Parameter::text("file", "contents.txt", "for the contents")},
                          run_hazards});
}
