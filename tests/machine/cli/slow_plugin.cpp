// A kernel that reads what it owns, with a cause of slowness that the parameter `cause` chooses.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/tl/tl.h"
#include "sw/distributed/queue_installation.h"
#include "sw/plugin/plugin.h"
#include "sw/workloads/support.h"

namespace {

using kb::Dtype;
using kb::Shape;
using kb::tl::Context;
using kb::tl::Ptr;
using namespace kb::sw;

constexpr std::int64_t kElements = 16384;  // of f16 that a PE reads: 32 KiB

void read_block(Context& tl, Ptr from, std::int64_t elements, std::int64_t at_once) {
  for (std::int64_t at = 0; at < elements; at += at_once) {
    const kb::tl::Scratch scope(tl);
    tl.load(from + at, {at_once});
  }
}

void slow(Context& tl, Ptr data, std::string cause) {
  if (cause == "nothing") return;
  if (cause == "in-turn" || cause == "staggered") {  // all PEs of a cube read all of it
    const kb::tl::LocalShard cube = tl.cube_shard(data);
    const std::int64_t blocks = cube.elements / kElements, first = cause == "staggered" ? tl.program_id(0) : 0;
    for (std::int64_t i = 0; i < blocks; ++i) {
      read_block(tl, cube.ptr + (first + i) % blocks * kElements, kElements, 4096);
    }
    return;
  }
  const bool shared = cause == "hot-slice";  // all read what the first PE owns
  const Ptr mine = shared ? data : data + tl.shard(data).first;
  const bool small = cause == "small-messages";
  const bool straggles = cause == "straggler" && tl.program_id(0) == 2 && tl.program_id(1) == 1;
  for (int round = 0; round < (straggles ? 6 : 2); ++round) read_block(tl, mine, kElements, small ? 32 : 4096);
}

// PE 0 sends what it has to PE 1 in small messages.
void stream(Context& tl, Ptr data) {
  constexpr std::int64_t kMessages = 128, kAtOnce = 128;
  if (tl.program_id(0) == 0) {
    const kb::tl::TensorHandle tile = tl.load(data, {kAtOnce});
    for (int i = 0; i < kMessages; ++i) tl.send("next", tile);
  } else if (tl.program_id(0) == 1) {
    for (int i = 0; i < kMessages; ++i) {
      const kb::tl::Scratch scope(tl);
      tl.recv("before", {kAtOnce});
    }
  }
}

// A message goes around four PEs; `late` reads a block before it passes it on.
void relay(Context& tl, Ptr data, std::int64_t late, std::int64_t rounds) {
  constexpr std::int64_t kLast = 3, kAtOnce = 128;
  const std::int64_t pe = tl.program_id(0);
  if (pe > kLast) return;
  const kb::tl::TensorHandle tile = tl.load(data, {kAtOnce});
  for (std::int64_t round = 0; round < rounds; ++round) {
    const kb::tl::Scratch scope(tl);
    if (round > 0 || pe > 0) tl.recv("before", {kAtOnce});
    if (pe == late) read_block(tl, data, kElements / 4, 4096);
    if (round + 1 < rounds || pe < kLast) tl.send("next", tile);
  }
}

WorkloadResult run_relay(Runtime& rt, const Params& params) {
  kb::topology::CclOptions options;
  options.file = params.text("ccl");
  const QueueInstallation queues(rt, options);
  rt.set_device(rt.devices().front());
  const Tensor data = rt.zeros({1, kElements}, Dtype::f16, one_pe_placement(), "data");
  LaunchOptions four;
  four.cubes = {0};
  four.pes = {0, 1, 2, 3};
  rt.wait(rt.launch("relay", {{"data", data}, {"late", params.integer("late")}, {"rounds", params.integer("rounds")}},
                    four));
  return {};
}

WorkloadResult run_stream(Runtime& rt, const Params& params) {
  kb::topology::CclOptions options;
  options.file = params.text("ccl");
  const QueueInstallation queues(rt, options);
  rt.set_device(rt.devices().front());
  const Tensor data = rt.zeros({1, kElements}, Dtype::f16, one_pe_placement(), "data");
  LaunchOptions two;
  two.cubes = {0};
  two.pes = {0, 1};
  rt.wait(rt.launch("message_stream", {{"data", data}}, two));
  return {};
}

// A launch of little work, while the cubes still write the zeros of a large tensor.
WorkloadResult run_late(Runtime& rt, const Params& params) {
  DPPolicy rows;
  rows.cube = rows.pe = Split::row_wise;
  const std::int64_t pes = std::int64_t{rt.spec().cubes_per_sip} * rt.spec().pes_per_cube;
  const Tensor data = rt.zeros({pes, kElements}, Dtype::f16, rows, "data");
  const std::int64_t blocks = params.integer("blocks");
  std::optional<Tensor> large;
  if (blocks > 0) large = rt.zeros({pes, blocks * kElements}, Dtype::f16, rows, "large");
  rt.wait(rt.launch("slow", {{"data", data}, {"cause", "none"}}));
  return {};
}

// One launch or two at the same time, each on half of the PEs of cube 0; they read the same slice or slices of their
// own.
WorkloadResult run_halves(Runtime& rt, const Params& params) {
  DPPolicy rows;
  rows.cube = rows.pe = Split::row_wise;
  rows.num_cubes = 1;
  rows.num_pes = rt.spec().pes_per_cube;
  const Tensor data = rt.zeros({*rows.num_pes, kElements}, Dtype::f16, rows, "data");
  std::vector<std::string> halves{"lower", "upper"};
  if (params.text("first") == "upper") std::swap(halves[0], halves[1]);
  std::vector<LaunchHandle> launches;
  for (const std::string& half : halves) {
    if (params.text("only") != "none" && half != params.text("only")) continue;
    LaunchOptions options;
    options.cubes = {0};
    options.pes.emplace();
    for (int pe = 0; pe < *rows.num_pes; ++pe) {
      if ((pe < *rows.num_pes / 2) == (half == "lower")) options.pes->push_back(pe);
    }
    options.label = half;
    const std::string cause = half == "lower" ? "hot-slice" : params.text("upper");
    launches.push_back(rt.launch("slow", {{"data", data}, {"cause", cause}}, options));
  }
  for (const LaunchHandle launch : launches) rt.wait(launch);
  return {};
}

WorkloadResult run(Runtime& rt, const Params& params) {
  const std::string cause = params.text("cause");
  DPPolicy rows;
  rows.cube = rows.pe = Split::row_wise;
  rows.num_cubes = rt.spec().cubes_per_sip;
  rows.num_pes = rt.spec().pes_per_cube;
  const std::int64_t pes = std::int64_t{*rows.num_cubes} * *rows.num_pes;
  const Tensor data = rt.zeros({pes, kElements}, Dtype::f16, rows, "data");
  for (int launch = 0; launch < (cause == "host" || cause == "launches" ? 8 : 1); ++launch) {
    LaunchOptions cubes;
    if (cause == "beside") cubes.cubes = {0};
    const std::string of_first = cause == "beside" ? "small-messages" : cause;
    const LaunchHandle first = rt.launch("slow", {{"data", data}, {"cause", of_first}}, cubes);
    cubes.cubes = {1};
    if (cause == "beside") rt.wait(rt.launch("slow", {{"data", data}, {"cause", "none"}}, cubes));
    rt.wait(first);
    if (cause == "host") data.to_host();
  }
  return {};
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(kb::tl::make_kernel("slow", "reads what it owns", {"data", "cause"}, slow));
  registrar.add_kernel(kb::tl::make_kernel("message_stream", "sends to the next PE", {"data"}, stream));
  registrar.add_workload({"late",
                          "a launch while a tensor is filled",
                          {Parameter::integer("blocks", 64, "size of the tensor", 0)},
                          run_late});
  registrar.add_workload({"message-stream",
                          "messages from PE 0 to PE 1 of cube 0",
                          {Parameter::text("ccl", "", "collective configuration file")},
                          run_stream});
  registrar.add_workload(
      {"halves",
       "two launches at the same time",
       {Parameter::choice("only", "none", {"none", "lower", "upper"}, "half of the PEs that runs alone"),
        Parameter::choice("first", "lower", {"lower", "upper"}, "half that is launched first"),
        Parameter::choice("upper", "hot-slice", {"hot-slice", "none", "nothing"}, "what the upper half reads")},
       run_halves});
  registrar.add_kernel(kb::tl::make_kernel("relay", "passes a message around", {"data", "late", "rounds"}, relay));
  registrar.add_workload(
      {"relay",
       "a message around PEs 0 to 3 of cube 0",
       {Parameter::text("ccl", "", "collective configuration file"),
        Parameter::integer("late", 4, "PE that reads a block before it sends; 4: none", 0).at_most(4),
        Parameter::integer("rounds", 8, "how often").at_most(1000)},
       run_relay});
  registrar.add_workload({"slow",
                          "reads with a cause of slowness",
                          {Parameter::choice("cause", "none",
                                             {"none", "hot-slice", "in-turn", "staggered", "straggler",
                                              "small-messages", "host", "launches", "beside"},
                                             "which one")},
                          run});
}
