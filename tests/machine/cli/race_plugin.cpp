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
#include "platform/contract/kernel.h"
#include "sw/distributed/queue_installation.h"
#include "sw/plugin/plugin.h"
#include "sw/workloads/support.h"

namespace {

using kb::tl::Context;
using kb::tl::Ptr;
using namespace kb::sw;

using Rows = std::vector<std::int64_t>;

constexpr std::int64_t kPes = 8, kBlocks = 16, kElements = 64, kPhases = 4, kRowElements = kElements / kPes;
constexpr int kKernels = 1000;

// Uses of a block in a phase that has no single owner: all PEs read it, each PE has one row or the elements of its
// mask, or all PEs add to it.
enum : std::int64_t { kShared = kPes, kByRow, kByMask, kAdded, kOwners };

struct Plan {
  // The PE that a block belongs to in a phase, or one of the above.
  std::vector<std::vector<std::int64_t>> owner;
  bool messages = false;  // meet by messages around the ring, not at a barrier
  bool planted = false;
  // Those from scattered_rows on have their indices or masks in scratch. masked_store has its mask from the host, which
  // may keep it from a run without data. The test has the same list.
  enum class Kind {
    foreign_write,
    foreign_read,
    early_meeting,
    no_wait,
    known_rows,
    known_mask,
    foreign_add,
    scattered_rows,
    gathered_rows,
    masked_store,
    added_rows,
    count
  } kind{};
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
    for (std::int64_t block = 0; block < kBlocks; ++block) owner.push_back(random.below(kOwners));
    plan.owner.push_back(std::move(owner));
  }
  plan.messages = random.below(2) == 0;
  plan.planted = kernel % 2 == 1;
  plan.kind = static_cast<Plan::Kind>(kernel / 2 % static_cast<int>(Plan::Kind::count));
  plan.phase = random.below(kPhases - 1);
  plan.block = random.below(kBlocks);
  std::int64_t& owner = plan.owner[static_cast<std::size_t>(plan.phase)][static_cast<std::size_t>(plan.block)];
  if (owner >= kPes) owner = random.below(kPes);
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

// A block that belongs to this PE; `masks` has a row for each PE.
void use(Context& tl, Ptr at, Ptr masks, Random& random) {
  const kb::tl::Scratch scope(tl);
  const kb::Shape shape{kElements};
  switch (random.below(8)) {
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
    case 4: {
      const auto rows = tl.arange(0, kPes);
      tl.scatter(at, rows, tl.gather(at, rows, kRowElements));
      break;
    }
    case 5: {
      const auto mask = tl.load(masks + random.below(kPes) * kElements, shape);
      tl.store(at, tl.load(at, shape, mask), mask);
      break;
    }
    case 6:
      tl.atomic_add(at, tl.load(at, shape));
      break;
    default:
      tl.load(at, shape);
      tl.store(at + kElements / 2, tl.zeros({kElements / 2}));
      break;
  }
}

// What a PE does with a block that is not its own.
void use_common(Context& tl, Ptr at, Ptr masks, std::int64_t owner) {
  const kb::tl::Scratch scope(tl);
  const std::int64_t me = tl.program_id(0);
  const kb::Shape shape{kElements};
  if (owner == kShared) tl.load(at, shape);
  if (owner == kAdded) tl.atomic_add(at, tl.full(shape, 1.0));
  if (owner == kByRow) {
    const auto row = tl.arange(me, me + 1);
    tl.scatter(at, row, tl.gather(at, Rows{me}, kRowElements));
    tl.atomic_add(at, row, tl.zeros({1, kRowElements}));
  }
  if (owner == kByMask) {
    const auto mask = tl.load(masks + me * kElements, shape);
    tl.store(at, tl.load(at, shape, mask), mask);
  }
}

// Access of the intruder, in a phase in which the block belongs to another PE.
void intrude(Context& tl, Ptr at, Ptr masks, Plan::Kind kind) {
  const kb::tl::Scratch scope(tl);
  const std::int64_t me = tl.program_id(0);
  const kb::Shape shape{kElements};
  switch (kind) {
    case Plan::Kind::foreign_write:
      return tl.store(at + 1, tl.zeros({3}));
    case Plan::Kind::foreign_read:
      tl.load(at + kElements - 1, {1});
      return;
    case Plan::Kind::known_rows:
      return tl.scatter(at, Rows{me}, tl.zeros({1, kRowElements}));
    case Plan::Kind::known_mask: {
      std::vector<bool> mask(kElements);
      mask[static_cast<std::size_t>(me * 7)] = true;
      return tl.store(at, tl.zeros(shape), mask);
    }
    case Plan::Kind::foreign_add:
      return tl.atomic_add(at, tl.zeros(shape));
    case Plan::Kind::scattered_rows:
      return tl.scatter(at, tl.arange(me, me + 1), tl.zeros({1, kRowElements}));
    case Plan::Kind::gathered_rows:
      tl.gather(at, tl.arange(me, me + 1), kRowElements);
      return;
    case Plan::Kind::masked_store:
      return tl.store(at, tl.zeros(shape), tl.load(masks + me * kElements, shape));
    case Plan::Kind::added_rows:
      return tl.atomic_add(at, tl.arange(me, me + 1), tl.zeros({1, kRowElements}));
    case Plan::Kind::early_meeting:
    case Plan::Kind::no_wait:
    case Plan::Kind::count:
      return;
  }
}

void run(Context& tl, const Plan& plan, Ptr t, Ptr masks, int kernel) {
  const std::int64_t me = tl.program_id(0);
  Random random(static_cast<unsigned>(kernel * kPes + me) + 77777);
  const auto x = tl.zeros({kElements});
  const Ptr broken = t + plan.block * kElements;
  for (std::int64_t phase = 0; phase < kPhases; ++phase) {
    const bool here = plan.planted && phase == plan.phase;
    const bool writes_first = plan.kind == Plan::Kind::foreign_write || kernel % 4 == 1;
    tl.cycles(random.below(300));
    if (here && me == plan.intruder && writes_first) intrude(tl, broken, masks, plan.kind);
    for (std::int64_t block = 0; block < kBlocks; ++block) {
      const std::int64_t owner = plan.owner[static_cast<std::size_t>(phase)][static_cast<std::size_t>(block)];
      if (owner == me) use(tl, t + block * kElements, masks, random);
      if (owner >= kPes) use_common(tl, t + block * kElements, masks, owner);
    }
    const std::int64_t owner = plan.owner[static_cast<std::size_t>(plan.phase)][static_cast<std::size_t>(plan.block)];
    if (here && me == owner) tl.store(broken, x);  // it surely writes
    const bool behind = plan.planted && phase == plan.phase + 1 && plan.kind == Plan::Kind::no_wait;
    if (behind && me == plan.intruder) tl.store(broken, x);  // where the store that nobody waited for may still go on
    if (here && me == plan.intruder && !writes_first) intrude(tl, broken, masks, plan.kind);
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
    out.push_back(kb::tl::make_kernel(fmt::format("race_{}", i), "random phases", {"t", "masks"},
                                      [i](Context& tl, Ptr t, Ptr masks) { run(tl, plan_of(i), t, masks, i); }));
  }
  return out;
}

WorkloadResult run_races(Runtime& rt, const Params& params) {
  DPPolicy rows;
  rows.pe = Split::row_wise;
  rows.num_cubes = 1;
  const QueueInstallation queues(rt, kb::topology::WiringPreset::intracube_ring);
  const Tensor t = rt.zeros({kBlocks, kElements}, kb::Dtype::f16, rows, "t");
  std::vector<double> masks;
  for (std::int64_t i = 0; i < kPes * kElements; ++i) masks.push_back(i % kPes == i / kElements ? 1 : 0);
  const Tensor m = rt.empty({kPes, kElements}, kb::Dtype::i32, rows, "m");
  m.copy_(params.text("masks") == "known" || rt.computes_data()
              ? HostArray::from_doubles({kPes, kElements}, kb::Dtype::i32, masks)
              : HostArray::unknown({kPes, kElements}, kb::Dtype::i32));
  LaunchOptions options;
  options.cubes = {0};
  for (std::int64_t i = params.integer("first"); i < params.integer("end"); ++i) {
    rt.wait(rt.launch(fmt::format("race_{}", i), {{"t", t}, {"masks", m}}, options));
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

// Two stores of one PE to the same bytes, the second one before the first has ended.
void store_twice(Context& tl, Ptr t) {
  tl.store_async(t, tl.full({kElements}, 1.0));
  tl.store_async(t + kElements / 2, tl.full({kElements / 2}, 2.0));
  tl.wait();
}

WorkloadResult run_store_twice(Runtime& rt, const Params&) {
  const Tensor t = rt.empty({kElements}, kb::Dtype::f16, one_pe_placement(), "t");
  rt.wait(rt.launch("store_twice", {{"t", t}}, on_one_pe()));
  std::vector<double> expected(kElements, 2.0);
  std::fill_n(expected.begin(), kElements / 2, 1.0);
  WorkloadResult result;
  verify_exact(rt, result, "t", t.to_host(), HostArray::from_doubles({kElements}, kb::Dtype::f16, expected));
  return result;
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
  registrar.add_kernel(kb::tl::make_kernel("store_twice", "two stores to the same bytes", {"t"}, store_twice));
  registrar.add_workload({"store-twice", "two stores to the same bytes", {}, run_store_twice});
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
                          {Parameter::integer("first", 0, "kernel", 0), Parameter::integer("end", kKernels, "kernel"),
                           Parameter::choice("masks", "known", {"known", "unknown"}, "to a run without data")},
                          run_races});
}
