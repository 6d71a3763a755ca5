// 1000 random kernels for the 8 PEs of a cube, of which every second one has a race (--check races). Kernel race_N goes
// through phases; in each phase every block of the tensor belongs to one PE, or is read by all, and between phases all
// PEs meet. A planted race breaks one rule of that, once. Further kernels meet across cubes, or fail while they
// receive.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/tl/tl.h"
#include "sw/distributed/queue_installation.h"
#include "sw/plugin/plugin.h"
#include "sw/workloads/support.h"

namespace {

using kb::tl::Context;
using kb::tl::Ptr;
using namespace kb::sw;

constexpr std::int64_t kPes = 8, kBlocks = 16, kElements = 64, kPhases = 4, kShared = kPes;
constexpr int kKernels = 1000;

struct Plan {
  // The PE that a block belongs to in a phase; kShared: all read it.
  std::vector<std::vector<std::int64_t>> owner;
  bool messages = false;  // meet by messages around the ring, not at a barrier
  bool planted = false;
  enum class Kind { foreign_write, foreign_read, early_meeting, no_wait } kind{};
  std::int64_t phase = 0, block = 0, intruder = 0;
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::int64_t below(std::int64_t bound) { return static_cast<std::int64_t>(engine_() % static_cast<unsigned>(bound)); }

 private:
  std::mt19937 engine_;
};

// The same on every PE.
Plan plan_of(int kernel) {
  Random random(static_cast<unsigned>(kernel) + 1);
  Plan plan;
  for (std::int64_t phase = 0; phase < kPhases; ++phase) {
    std::vector<std::int64_t> owner;
    for (std::int64_t block = 0; block < kBlocks; ++block) owner.push_back(random.below(kPes + 1));
    plan.owner.push_back(std::move(owner));
  }
  plan.messages = random.below(2) == 0;
  plan.planted = kernel % 2 == 1;
  plan.kind = static_cast<Plan::Kind>(random.below(4));
  plan.phase = random.below(kPhases - 1);
  plan.block = random.below(kBlocks);
  std::int64_t& owner = plan.owner[static_cast<std::size_t>(plan.phase)][static_cast<std::size_t>(plan.block)];
  if (owner == kShared) owner = random.below(kPes);
  // Another PE has it in the next phase, too.
  plan.intruder = (owner + 1 + random.below(kPes - 1)) % kPes;
  plan.owner[static_cast<std::size_t>(plan.phase) + 1][static_cast<std::size_t>(plan.block)] = plan.intruder;
  return plan;
}

// Around the ring twice: who has the token of the second round knows that all were there.
void meet(Context& tl, bool messages) {
  if (!messages) return tl.barrier();
  const kb::tl::Scratch scope(tl);
  const std::int64_t me = tl.program_id(0);
  const auto token = tl.zeros({8});
  for (int round = 0; round < 2; ++round) {
    if (me > 0) tl.recv("W", {8});
    tl.send("E", token);
    if (me == 0) tl.recv("W", {8});
  }
}

void use(Context& tl, Ptr at, Random& random) {
  const kb::tl::Scratch scope(tl);
  const kb::Shape shape{kElements};
  switch (random.below(5)) {
    case 0:
      tl.store(at, tl.zeros(shape));
      break;
    case 1:
      tl.store(at, tl.wait(tl.load_async(at, shape)));
      break;
    case 2: {
      const auto x = tl.load(at, shape);
      tl.store_async(at, x);
      tl.wait(tl.store_async(at, x));  // behind the other on the write channel
      tl.wait();
      break;
    }
    case 3:
      tl.wait(tl.composite(kb::MathOp::neg, tl.ref(at, shape), at));
      break;
    default:
      tl.load(at, shape);
      tl.store(at + kElements / 2, tl.zeros({kElements / 2}));
      break;
  }
}

void run(Context& tl, const Plan& plan, Ptr t, int kernel) {
  const std::int64_t me = tl.program_id(0);
  Random random(static_cast<unsigned>(kernel * kPes + me) + 77777);
  const auto x = tl.zeros({kElements});
  for (std::int64_t phase = 0; phase < kPhases; ++phase) {
    const bool here = plan.planted && phase == plan.phase;
    const Ptr broken = t + plan.block * kElements;
    tl.cycles(random.below(300));
    if (here && me == plan.intruder && plan.kind == Plan::Kind::foreign_write) tl.store(broken + 1, tl.zeros({3}));
    for (std::int64_t block = 0; block < kBlocks; ++block) {
      const std::int64_t owner = plan.owner[static_cast<std::size_t>(phase)][static_cast<std::size_t>(block)];
      if (owner == me) use(tl, t + block * kElements, random);
      if (owner == kShared) {
        const kb::tl::Scratch scope(tl);
        tl.load(t + block * kElements, {kElements});
      }
    }
    const std::int64_t owner = plan.owner[static_cast<std::size_t>(plan.phase)][static_cast<std::size_t>(plan.block)];
    if (here && me == owner) tl.store(broken, x);  // it surely writes
    if (here && me == plan.intruder && plan.kind == Plan::Kind::foreign_read) {
      const kb::tl::Scratch scope(tl);
      tl.load(broken + kElements - 1, {1});
    }
    // A store of the next phase's owner that was begun before the meeting, or one of this phase's that goes on after
    // it.
    [[maybe_unused]] kb::tl::Future open;
    if (here && me == plan.intruder && plan.kind == Plan::Kind::early_meeting) open = tl.store_async(broken, x);
    if (here && me == owner && plan.kind == Plan::Kind::no_wait) open = tl.store_async(broken, x);
    meet(tl, plan.messages);
    tl.wait();
  }
}

std::vector<kb::contract::Kernel> kernels() {
  std::vector<kb::contract::Kernel> out;
  for (int i = 0; i < kKernels; ++i) {
    out.push_back(kb::tl::make_kernel(fmt::format("race_{}", i), "random phases", {"t"},
                                      [i](Context& tl, Ptr t) { run(tl, plan_of(i), t, i); }));
  }
  return out;
}

WorkloadResult run_races(Runtime& rt, const Params& params) {
  DPPolicy rows;
  rows.pe = Split::row_wise;
  rows.num_cubes = 1;
  const QueueInstallation queues(rt, kb::topology::WiringPreset::intracube_ring);
  const Tensor t = rt.zeros({kBlocks, kElements}, kb::Dtype::f16, rows, "t");
  LaunchOptions options;
  options.cubes = {0};
  for (std::int64_t i = params.integer("first"); i < params.integer("end"); ++i) {
    rt.wait(rt.launch(fmt::format("race_{}", i), {{"t", t}}, options));
  }
  return {};
}

// PE 0 of cube 0 writes what PE 0 of every other cube reads, with a barrier of each cube or of the SIP between.
void across_cubes(Context& tl, Ptr t, std::int64_t whole_sip) {
  using kb::tl::BarrierScope;
  const std::int64_t cube = tl.program_id(1);
  if (tl.program_id(0) == 0 && cube == 0) tl.store(t, tl.full({kElements}, 7.0));
  if (cube == 1) tl.barrier();  // cubes may have had different numbers of their own
  tl.barrier(whole_sip != 0 ? BarrierScope::sip : BarrierScope::cube);
  if (tl.program_id(0) == 0 && cube != 0) tl.store(t + cube * kElements, tl.load(t, {kElements}));
}

WorkloadResult run_across_cubes(Runtime& rt, const Params& params) {
  DPPolicy rows;
  rows.cube = Split::row_wise;
  rows.num_pes = 1;
  const auto cubes = static_cast<std::int64_t>(rt.machine().cubes_per_sip);
  const Tensor t = rt.zeros({cubes, kElements}, kb::Dtype::f16, rows, "t");
  rt.wait(rt.launch("across_cubes", {{"t", t}, {"whole_sip", std::int64_t{params.text("scope") == "sip"}}}));
  WorkloadResult result;
  verify_exact(rt, result, "t", t.to_host(), HostArray::full({cubes, kElements}, kb::Dtype::f16, 7.0));
  return result;
}

// What it waits for never comes; what it sends fits no slot.
void fail_while_receiving(Context& tl, Ptr) {
  [[maybe_unused]] const kb::tl::Future open = tl.recv_async("W", {kElements});
  if (tl.program_id(0) == 0) tl.send("E", tl.zeros({1 << 16}));
}

WorkloadResult run_fail_while_receiving(Runtime& rt, const Params&) {
  const QueueInstallation queues(rt, kb::topology::WiringPreset::intracube_ring);
  LaunchOptions options;
  options.cubes = {0};
  rt.wait(rt.launch("fail_while_receiving", {{"t", rt.zeros({kElements}, kb::Dtype::f16, {}, "t")}}, options));
  return {};
}

// The launch reads its tensor for a while and writes its first elements at the end.
void read_for_long(Context& tl, Ptr t) {
  for (int i = 0; i < 64; ++i) {
    const kb::tl::Scratch scope(tl);
    tl.load(t, {4096});
  }
  tl.store(t, tl.zeros({16}));
}

WorkloadResult run_host_beside(Runtime& rt, const Params& params) {
  const HostArray ones = HostArray::full({4096}, kb::Dtype::f16, 1.0);
  const Tensor t = rt.empty({4096}, kb::Dtype::f16, one_pe_placement(), "t");
  t.copy_(ones);  // before the launch: in order
  const LaunchHandle launch = rt.launch("read_for_long", {{"t", t}}, on_one_pe());
  if (params.text("wait") == "yes") rt.wait(launch);
  if (params.text("use") == "write") {
    t.copy_(ones);
  } else {
    t.to_host();
  }
  rt.wait(launch);
  return {};
}

}  // namespace

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(kb::tl::make_kernel("across_cubes", "meets across cubes", {"t", "whole_sip"}, across_cubes));
  registrar.add_workload({"across-cubes",
                          "meets across cubes",
                          {Parameter::choice("scope", "sip", {"cube", "sip"}, "of the barrier")},
                          run_across_cubes});
  registrar.add_kernel(kb::tl::make_kernel("read_for_long", "reads, and writes at its end", {"t"}, read_for_long));
  registrar.add_workload({"host-beside",
                          "the host uses a tensor beside a launch, or behind it",
                          {Parameter::choice("use", "write", {"write", "read"}, "of the host"),
                           Parameter::choice("wait", "no", {"no", "yes"}, "for the launch before")},
                          run_host_beside});
  registrar.add_kernel(
      kb::tl::make_kernel("fail_while_receiving", "fails while it receives", {"t"}, fail_while_receiving));
  registrar.add_workload({"fail-while-receiving", "fails while it receives", {}, run_fail_while_receiving});
  for (kb::contract::Kernel& kernel : kernels()) registrar.add_kernel(std::move(kernel));
  registrar.add_workload({"random-races",
                          "1000 kernels; every second one has a race",
                          {Parameter::integer("first", 0, "kernel", 0), Parameter::integer("end", kKernels, "kernel")},
                          run_races});
}
