// Chains of launches on random sets of PEs; each PE copies the row of the next PE, so that a launch depends on others
// of the one before.
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "kernels/tl/tl.h"
#include "platform/contract/completion.h"
#include "sw/plugin/plugin.h"
#include "sw/workloads/support.h"

namespace {

using kb::Dtype;
using kb::TimeFs;
using kb::tl::Context;
using kb::tl::Ptr;
using namespace kb::sw;

constexpr std::int64_t kElements = 64;

// Row i of `out` becomes row (i + 1) mod rows of `in`, after a time that differs from PE to PE.
void next_row(Context& tl, Ptr in, Ptr out, std::int64_t rows, std::int64_t seed, std::int64_t barrier) {
  const std::int64_t pe = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0);
  tl.cycles((pe * 7919 + seed * 104729) % 97 * 10);
  if (barrier == 1) tl.barrier(kb::tl::BarrierScope::sip);
  const auto row = tl.load(in + (pe + 1) % rows * kElements, {1, kElements});
  tl.cycles((pe * 31 + seed) % 13 * 20);
  tl.store(out + pe * kElements, row);
}

struct Targets {
  std::vector<int> cubes, pes;
};

Targets random_targets(std::mt19937& random, const Runtime& rt) {
  const auto some = [&](int count) {
    std::vector<int> chosen;
    for (int i = 0; i < count; ++i) {
      if (random() % 2 == 0) chosen.push_back(i);
    }
    if (chosen.empty()) chosen.push_back(static_cast<int>(random() % static_cast<unsigned>(count)));
    return chosen;
  };
  return {some(rt.machine().cubes_per_sip), some(rt.machine().pes_per_cube)};
}

WorkloadResult run_chain(Runtime& rt, const Params& params) {
  const int cubes = rt.machine().cubes_per_sip, pes = rt.machine().pes_per_cube;
  const std::int64_t rows = std::int64_t{cubes} * pes, count = params.integer("launches");
  DPPolicy policy;
  policy.cube = policy.pe = Split::row_wise;
  std::vector<Tensor> buffers{rt.empty({rows, kElements}, Dtype::i32, policy, "first"),
                              rt.empty({rows, kElements}, Dtype::i32, policy, "second")};
  std::vector<HostArray> expected;
  for (std::uint64_t i = 0; i < 2; ++i) {
    expected.push_back(HostArray::random_integers({rows, kElements}, Dtype::i32, rt.seed() + i));
    buffers[i].copy_(expected[i]);
  }
  rt.wait_all();

  std::mt19937 random(static_cast<unsigned>(rt.seed()));
  std::vector<LaunchHandle> launches;
  const bool whole = params.text("pes") == "all";
  for (std::int64_t i = 0; i < count; ++i) {
    const Targets targets = random_targets(random, rt);
    LaunchOptions options;
    options.queued = params.text("order") == "queued";
    options.cubes = targets.cubes;
    options.pes = targets.pes;
    if (whole) options.cubes.reset(), options.pes.reset();
    const auto in = static_cast<std::size_t>(i % 2), out = 1 - in;
    launches.push_back(rt.launch("next_row",
                                 {{"in", buffers[in]},
                                  {"out", buffers[out]},
                                  {"rows", rows},
                                  {"seed", i},
                                  {"barrier", static_cast<std::int64_t>(random() % 2)}},
                                 options));
    if (params.text("order") == "waited") rt.wait(launches.back());
    const std::vector<std::byte> before = expected[in].bytes();
    const std::size_t bytes = kElements * sizeof(std::int32_t);
    for (int pe = 0; pe < rows; ++pe) {
      const auto has = [](const std::vector<int>& all, int one) {
        return std::find(all.begin(), all.end(), one) != all.end();
      };
      if (!whole && !(has(targets.cubes, pe / pes) && has(targets.pes, pe % pes))) continue;
      const auto from = static_cast<std::size_t>((pe + 1) % rows) * bytes, to = static_cast<std::size_t>(pe) * bytes;
      std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                  expected[out].bytes().begin() + static_cast<std::ptrdiff_t>(to));
    }
  }

  WorkloadResult result;
  std::int64_t early = 0;
  TimeFs ended = kb::TimeFs(0);
  for (const LaunchHandle launch : launches) {
    rt.wait(launch);
    TimeFs end = ended;
    for (const kb::contract::Completion& completion : rt.completions(launch)) {
      for (const kb::contract::PeResult& pe : completion.pes) {
        early += pe.start < ended ? 1 : 0;
        end = std::max(end, pe.start + pe.exec);
      }
    }
    ended = end;
  }
  result.figures.push_back({"early PEs", static_cast<double>(early), "", "begun before all PEs had ended before"});
  result.figures.push_back({"end", kb::fs_to_ns(ended), "ns", "of the last kernel"});
  for (std::size_t i = 0; i < 2; ++i) verify_exact(rt, result, buffers[i].name(), buffers[i].to_host(), expected[i]);
  return result;
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(kb::tl::make_kernel("next_row", "each row becomes the next one",
                                           {"in", "out", "rows", "seed", "barrier"}, next_row));
  registrar.add_workload(
      {"queued-chain",
       "launches that depend on each other",
       {Parameter::integer("launches", 8, "launches one after the other"),
        Parameter::choice("order", "queued", {"queued", "waited", "none"}, "how a launch waits for others"),
        Parameter::choice("pes", "random", {"random", "all"}, "that run each launch")},
       run_chain});
}
