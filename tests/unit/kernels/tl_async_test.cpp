// Operations that go on beside the kernel (chapter 06, section 9): what they are, waiting, mistakes.
#include <gmock/gmock.h>

#include "kernels/tl/tl.h"
#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"
#include "platform/contract/kernel.h"
#include "tests/unit/kernels/device.h"
#include "tests/unit/kernels/expect_error.h"

namespace kb::tests {
namespace {

using contract::Command;
using contract::CommandKind;
using testing::ElementsAre;
using tl::Context;
using tl::Future;
using tl::TensorHandle;

// Says which commands were waited for, in tickets 100, 101, ...; `first_done` is what wait_any() answers.
struct SlowPe final : contract::IPe {
  contract::PeInfo info_ = tl::RecordingPe::default_info();
  std::vector<Command> executed, submitted;
  std::vector<Ticket> waits, any_of;
  std::size_t first_done = 0;

  const contract::PeInfo& info() const override { return info_; }
  void execute(const Command& command) override { executed.push_back(command); }
  Ticket submit(const Command& command) override {
    submitted.push_back(command);
    return 99 + submitted.size();
  }
  void wait(Ticket ticket, account::PlaceId) override { waits.push_back(ticket); }
  std::size_t wait_any(const std::vector<Ticket>& tickets, account::PlaceId) override {
    any_of = tickets;
    return first_done;
  }
  void write_scratch(std::uint64_t, Dtype, std::vector<std::byte>) override {}
  std::vector<std::byte> read(const std::vector<Extent>& extents) override {
    return std::vector<std::byte>(total_bytes(extents));
  }
};

struct TlAsync : ::testing::Test {
  SlowPe pe;
  Context tl{pe, "demo"};
  LayoutPtr a = whole("a", Dtype::f16, {64, 64}, 0x100000);
  tl::Ptr x{*a};

  TensorHandle tile() { return tl.load(x, {16, 16}); }
};

TEST_F(TlAsync, CommandsAreThoseOfTheBlockingCalls) {
  tl.load(x + 64, {8, 8}, Dtype::f16, 64);
  const TensorHandle made = tile();
  tl.store(x, made);
  tl.dot(made, tl.trans(made), Dtype::f32);
  tl.exp(made);
  tl.sum(made, 1);
  Context other(pe, "demo");
  other.load_async(x + 64, {8, 8}, Dtype::f16, 64);
  const TensorHandle again = other.wait(other.load_async(x, {16, 16}));
  other.store_async(x, again);
  other.dot_async(again, other.trans(again), Dtype::f32);
  other.math_async(MathOp::exp, {again});
  other.math_async(MathOp::sum, {again}, 1);
  ASSERT_EQ(pe.submitted.size(), pe.executed.size());
  for (std::size_t i = 0; i < pe.submitted.size(); ++i) {
    const Command &here = pe.submitted[i], &there = pe.executed[i];
    EXPECT_EQ(here.kind, there.kind) << i;
    EXPECT_EQ(here.memory, there.memory) << i;
    EXPECT_EQ(here.local, there.local) << i;
    EXPECT_EQ(here.out.extents, there.out.extents) << i;
    EXPECT_EQ(here.out.dtype, there.out.dtype) << i;
    EXPECT_EQ(here.axis, there.axis) << i;
    EXPECT_EQ(here.inputs.size(), there.inputs.size()) << i;
  }
}

TEST_F(TlAsync, IndexedCommandsAreThoseOfTheBlockingCalls) {
  const LayoutPtr sums = whole("sums", Dtype::f16, {64, 4}, 0x300000);
  const tl::Ptr to(*sums);
  const std::vector<std::int64_t> rows{3, 0, 5};
  const std::vector<bool> some{true, false, true, true};
  const TensorHandle three = tl.gather(x, rows, 4);
  tl.gather_into(three, x, rows);
  tl.scatter(to, rows, three);
  const TensorHandle four = tl.load(x, {4}, some, 1.0);
  tl.store(to, four, some);
  tl.atomic_add(to, four);
  tl.atomic_add(to, rows, three);
  Context other(pe, "demo");
  const TensorHandle gathered = other.wait(other.gather_async(x, rows, 4));
  EXPECT_EQ(other.wait(other.gather_into_async(gathered, x, rows)).shape(), (Shape{3, 4}));
  other.scatter_async(to, rows, gathered);
  const TensorHandle loaded = other.wait(other.load_async(x, {4}, some, 1.0));
  other.store_async(to, loaded, some);
  other.atomic_add_async(to, loaded);
  other.atomic_add_async(to, rows, gathered);
  ASSERT_EQ(pe.submitted.size(), 7u);
  ASSERT_EQ(pe.executed.size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) {
    const Command &here = pe.submitted[i], &there = pe.executed[i];
    EXPECT_EQ(here.kind, there.kind) << i;
    EXPECT_EQ(here.memory, there.memory) << i;
    EXPECT_EQ(here.local, there.local) << i;
    EXPECT_EQ(here.added, there.added) << i;
  }
  other.finish();  // what has no result need not be waited for
}

TEST_F(TlAsync, IndexedAccessesUnderWayProtectTheirScratch) {
  const std::vector<std::int64_t> rows{3, 0};
  const TensorHandle room = tl.empty({2, 4});
  const Future gather = tl.gather_into_async(room, x, rows);
  expect_program_error(
      [&] { tl.store(x, room); }, "KERNEL_ERROR",
      {"tl.gather_into_async #2 at tl_async_test.cpp:", ", which was not waited for, is still working on"});
  expect_program_error([&] { tl.finish(); }, "KERNEL_ERROR", {"tl.gather_into_async #2 at ", " was never waited for"});
  tl.wait(gather);
  tl.scatter_async(x, rows, room);
  tl.exp(room);  // reading is no harm
  expect_program_error([&] { tl.assign(room, tl.zeros({2, 4})); }, "KERNEL_ERROR", {"tl.scatter_async #"});
  tl.wait();
  expect_program_error([&] { tl.gather_into(tl.empty({3, 4}), x, rows); }, "SHAPE_ERROR", {"f16 (3, 4)", "(2)"});
  expect_program_error([&] { tl.gather_into(tl.empty({2, 4}, Dtype::f32), x, rows); }, "DTYPE_ERROR", {"f16"});
}

TEST_F(TlAsync, WaitGivesTheResultOnce) {
  const Future first = tl.load_async(x, {16}), second = tl.load_async(x + 16, {32});
  EXPECT_EQ(tl.wait(second).shape(), Shape{32});
  EXPECT_EQ(tl.wait(first).shape(), Shape{16});
  EXPECT_THAT(pe.waits, ElementsAre(101, 100));
  expect_program_error([&] { tl.wait(first); }, "KERNEL_ERROR",
                       {"kernel demo, tl.wait #", "tl.load_async #1 was waited for before", "keep"});
  expect_program_error([&] { tl.wait(Future()); }, "KERNEL_ERROR", {"the future is empty"});
  Context other(pe, "other");
  expect_program_error([&] { other.wait(first); }, "KERNEL_ERROR", {"another kernel instance"});
}

TEST_F(TlAsync, WaitForAllLeavesTheResultsToFetch) {
  const Future load = tl.load_async(x, {16});
  tl.store_async(x + 64, tl.zeros({4}));
  tl.wait();
  EXPECT_THAT(pe.waits, ElementsAre(100, 101));
  EXPECT_EQ(tl.wait(load).shape(), Shape{16});
  EXPECT_EQ(pe.waits.size(), 2u);
  tl.finish();
}

TEST_F(TlAsync, WaitAnyTellsWhichAndDoesNotTakeIt) {
  const std::vector<Future> loads{tl.load_async(x, {16}), tl.load_async(x + 16, {16}), tl.load_async(x + 32, {16})};
  pe.first_done = 2;
  EXPECT_EQ(tl.wait_any(loads), 2u);
  EXPECT_THAT(pe.any_of, ElementsAre(100, 101, 102));
  EXPECT_THAT(pe.waits, ElementsAre());
  tl.wait(loads[2]);
  expect_program_error([&] { tl.wait_any(loads); }, "KERNEL_ERROR", {"tl.load_async #3 was waited for before"});
  expect_program_error([&] { tl.wait_any({}); }, "KERNEL_ERROR", {"at least one future"});
  tl.wait();
  EXPECT_EQ(tl.wait_any(loads), 0u);  // all have ended
}

// Never stale data: what is being written cannot be used, what is being read cannot be written.
TEST_F(TlAsync, ScratchInUseIsOffLimits) {
  const TensorHandle buffer = tl.empty({16, 16}), other = tl.zeros({16, 16});
  const Future load = tl.load_into_async(buffer, x);
  const auto refused = [&](auto call) {
    expect_program_error(call, "KERNEL_ERROR", {"tl.load_into_async #3 at ", ", which was not waited for"});
  };
  refused([&] { tl.exp(buffer); });
  refused([&] { tl.dot(other, buffer); });
  refused([&] { tl.exp(tl.view(buffer, 17, {4})); });
  refused([&] { tl.store(x, buffer); });
  refused([&] { tl.assign(buffer, other); });
  refused([&] { tl.load_into(buffer, x); });
  refused([&] { tl.load_into_async(buffer, x); });
  expect_program_error([&] { buffer.to_doubles(); }, "KERNEL_ERROR", {"still being written by tl.load_into_async #3"});
  tl.wait(load);
  tl.exp(buffer);

  const Future store = tl.store_async(x, buffer);
  tl.exp(buffer);  // both read
  expect_program_error([&] { tl.assign(buffer, other); }, "KERNEL_ERROR", {"tl.store_async #"});
  tl.wait(store);
  tl.assign(buffer, other);
}

TEST_F(TlAsync, RoomIsNotHandedOutWhileItIsUsed) {
  {
    const tl::Scratch scope(tl);
    tl.load_async(x, {16});
  }
  expect_program_error([&] { tl.zeros({4}); }, "KERNEL_ERROR",
                       {"an operand of tl.load_async #1", "tl::Scratch scope", "has ended"});
  tl.wait();
  tl.zeros({4});
}

TEST_F(TlAsync, AnUnusedResultIsAMistake) {
  tl.store_async(x, tl.zeros({4}));
  tl.prefetch(x, {16});
  tl.finish();  // these need no wait
  tl.load_async(x, {16});
  expect_program_error([&] { tl.finish(); }, "KERNEL_ERROR",
                       {"kernel demo", "tl.load_async #4 at ", " was never waited for"});
}

TEST_F(TlAsync, ALoadTakesWhatWasPrefetched) {
  tl.prefetch(x, {16, 16}, Dtype::f16, 64);
  tl.prefetch(x, {16, 16});
  const std::uint64_t dense = pe.submitted[1].local[0].pa;
  EXPECT_EQ(tl.load(x, {16, 16}).address(), dense);
  EXPECT_THAT(pe.waits, ElementsAre(101));
  EXPECT_TRUE(pe.executed.empty());
  tl.load(x, {16, 16});  // each is taken once
  EXPECT_EQ(pe.executed.size(), 1u);
  tl.load(x, {16, 16}, Dtype::f16, 64);
  EXPECT_EQ(pe.executed.size(), 1u);
  {
    const tl::Scratch scope(tl);
    tl.prefetch(x + 1, {16});
  }
  tl.wait();
  tl.load(x + 1, {16});  // that one is gone with its scope
  EXPECT_EQ(pe.executed.size(), 2u);
}

TEST_F(TlAsync, ProductsAddToAnAccumulator) {  // no MATH pass
  const TensorHandle left = tile(), acc = tl.zeros({16, 16}, Dtype::f32);
  pe.executed.clear();
  tl.dot(left, left, acc);
  ASSERT_EQ(pe.executed.size(), 1u);
  EXPECT_EQ(contract::engine_of(pe.executed[0]), engine::EngineId::gemm);
  EXPECT_TRUE(pe.executed[0].accumulate);
  EXPECT_THAT(pe.executed[0].out.extents, ElementsAre(Extent{acc.address(), acc.nbytes()}));
  EXPECT_EQ(tl.wait(tl.dot_async(left, left, acc)).address(), acc.address());
  EXPECT_TRUE(pe.submitted[0].accumulate);
  EXPECT_FALSE((tl.dot_into_async(acc, left, left), pe.submitted[1].accumulate));
}

TEST_F(TlAsync, LoadTargetsAreChecked) {
  const TensorHandle wide = tl.zeros({4, 4}, Dtype::f32);
  expect_program_error([&] { tl.load_into(wide, x); }, "DTYPE_ERROR", {"cannot take data of tensor 'a', which is f16"});
  const TensorHandle turned = tl.trans(tl.zeros({4, 8}));
  expect_program_error([&] { tl.load_into_async(turned, x); }, "KERNEL_ERROR", {"transposed view"});
}

// With numbers: a PE that computes at once.
TEST(TlAsyncResults, AccumulateInTheArray) {
  Device device;
  const LayoutPtr a = whole("a", Dtype::i32, {2, 2}, 0x100000), out = whole("out", Dtype::i32, {2, 2}, 0x200000);
  device.write(*a, {1, 2, 3, 4});
  const contract::Kernel kernel = tl::make_kernel("acc", "", {"a", "out"}, [](Context& tl, tl::Ptr from, tl::Ptr to) {
    const TensorHandle x = tl.wait(tl.load_async(from, {2, 2})), acc = tl.full({2, 2}, std::int64_t{10}, Dtype::i32);
    tl.dot(x, x, acc);
    tl.store(to, tl.wait(tl.dot_async(x, tl.trans(x), acc)));
  });
  device.run(kernel, {{"a", as_arg(a)}, {"out", as_arg(out)}});
  EXPECT_THAT(device.read(*out), ElementsAre(10 + 7 + 5, 10 + 10 + 11, 10 + 15 + 11, 10 + 22 + 25));
}

}  // namespace
}  // namespace kb::tests
