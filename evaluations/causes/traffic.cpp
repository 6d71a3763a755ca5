// A kernel whose PEs move blocks between their scratch and memories that a pattern chooses: what the planted causes are
// planted into where no workload of kernbench has the traffic.
#include <kernbench/kernels/tl/tl.h>
#include <kernbench/sw/plugin/plugin.h>
#include <kernbench/sw/workloads/support.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace {

using kb::Dtype;
using kb::tl::Ptr;
using namespace kb::sw;

constexpr std::int64_t kShare = 65536;  // elements of f16 that a PE owns: 128 KiB

struct Traffic {
  Ptr data;                                               // a row of kShare elements per PE
  std::string pattern, move;                              // which memory, and whether it is read or written
  std::int64_t block = 0, count = 0, ahead = 1;           // elements of a transfer, transfers, transfers under way
  std::int64_t rounds = 1, slow_pe = -1, slow_times = 1;  // rounds end with a barrier; one PE of a cube has more to do
};

// Number of the PE whose memory has the `i`th block of this PE.
std::int64_t owner(kb::tl::Context& tl, const Traffic& args, std::int64_t i) {
  const std::int64_t pe = tl.program_id(0), pes = tl.num_programs(0), cube = tl.program_id(1);
  const std::int64_t cubes = args.data.shape()[0] / pes, in_turn = i * args.block / kShare;
  if (args.pattern == "hot") return 0;
  if (args.pattern == "in_turn") return cube * pes + in_turn % pes;
  if (args.pattern == "around") return cube * pes + (pe + i) % pes;
  if (args.pattern == "next_cube") return (cube + 1) % cubes * pes + pe;
  if (args.pattern == "far_cube") return (cubes - 1 - cube) * pes + pe;
  if (args.pattern == "everywhere") return (cube * pes + pe + i * 37) % (cubes * pes);
  return cube * pes + pe;  // own
}

void traffic(kb::tl::Context& tl, const Traffic& args) {
  const std::int64_t pe = tl.program_id(0);
  const std::int64_t count = args.count * (pe == args.slow_pe ? args.slow_times : 1);
  std::vector<kb::tl::TensorHandle> buffers;
  for (std::int64_t i = 0; i < args.ahead; ++i) buffers.push_back(tl.zeros({args.block}));
  for (std::int64_t round = 0; round < args.rounds; ++round) {
    std::vector<kb::tl::Future> moving(buffers.size());
    for (std::int64_t i = 0; i < count; ++i) {
      const auto slot = static_cast<std::size_t>(i) % buffers.size();
      if (i >= args.ahead) tl.wait(moving[slot]);
      const Ptr at = args.data + owner(tl, args, i) * kShare + (pe + i) * args.block % kShare;
      const bool writes = args.move == "write" || (args.move == "both" && i % 2 == 1);
      moving[slot] = writes ? tl.store_async(at, buffers[slot]) : tl.load_into_async(buffers[slot], at);
    }
    tl.wait();
    if (args.rounds > 1) tl.barrier();
  }
}

WorkloadResult run(Runtime& rt, const Params& params) {
  DPPolicy rows;
  rows.cube = rows.pe = Split::row_wise;
  const std::int64_t cubes = params.integer("cubes") == 0 ? rt.machine().cubes_per_sip : params.integer("cubes");
  rows.num_cubes = static_cast<int>(cubes);
  const std::int64_t pes = cubes * rt.machine().pes_per_cube;
  const Tensor data = rt.zeros({pes, kShare}, Dtype::f16, rows, "data");
  rt.wait(rt.launch("traffic_nothing", {{"data", data}}));
  std::optional<Tensor> filled;
  if (params.integer("fill") > 0) filled = rt.zeros({pes, params.integer("fill") * kShare}, Dtype::f16, rows, "filled");
  Args args{{"data", data}, {"pattern", params.text("pattern")}, {"move", params.text("move")}};
  for (const char* name : {"block", "count", "ahead", "rounds", "slow_pe", "slow_times"}) {
    args.emplace_back(name, params.integer(name));
  }
  for (std::int64_t launch = 0; launch < params.integer("launches"); ++launch) {
    rt.wait(rt.launch("traffic", args));
    if (params.text("between") == "copy") data.to_host();
  }
  return {};
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(kb::tl::make_kernel("traffic", "moves blocks between scratch and memories",
                                           kb::tl::Parameters<Traffic>{{"data", &Traffic::data},
                                                                       {"pattern", &Traffic::pattern},
                                                                       {"move", &Traffic::move},
                                                                       {"block", &Traffic::block},
                                                                       {"count", &Traffic::count},
                                                                       {"ahead", &Traffic::ahead},
                                                                       {"rounds", &Traffic::rounds},
                                                                       {"slow_pe", &Traffic::slow_pe},
                                                                       {"slow_times", &Traffic::slow_times}},
                                           traffic));
  registrar.add_kernel(
      kb::tl::make_kernel("traffic_nothing", "waits until data is written", {"data"}, [](kb::tl::Context&, Ptr) {}));
  registrar.add_workload(
      {"traffic",
       "PEs move blocks between their scratch and memories that a pattern chooses",
       {Parameter::choice("pattern", "own", {"own", "hot", "in_turn", "around", "next_cube", "far_cube", "everywhere"},
                          "memory: own, PE 0's of cube 0, one of the cube after the other, those of the cube around, "
                          "the same PE's in the next or the opposite cube, all"),
        Parameter::choice("move", "read", {"read", "write", "both"}, "direction"),
        Parameter::integer("block", 4096, "elements of a transfer").at_most(kShare),
        Parameter::integer("count", 64, "transfers of a PE in a round").at_most(100000),
        Parameter::integer("ahead", 1, "transfers under way").at_most(64),
        Parameter::integer("rounds", 1, "rounds, with a barrier behind each when there are several").at_most(1000),
        Parameter::integer("slow_pe", -1, "PE of a cube that has more to do", -1).at_most(15),
        Parameter::integer("slow_times", 1, "how many times as many transfers it has").at_most(100),
        Parameter::integer("cubes", 0, "cubes that take part; 0: all", 0).at_most(16),
        Parameter::integer("launches", 1, "launches, one behind the other").at_most(1000),
        Parameter::choice("between", "nothing", {"nothing", "copy"}, "what the host does between launches"),
        Parameter::integer("fill", 0, "shares of a tensor that is written when the launch is submitted", 0)
            .at_most(1000)},
       run});
}
