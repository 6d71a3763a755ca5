// Happens-before on scripted uses of memory: no machine, no kernel.
#include "platform/check/race_checker.h"

#include <gmock/gmock.h>

#include "platform/contract/command.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/tensor_layout.h"

namespace kb::check {
namespace {

using contract::BarrierScope;
using contract::Command;
using contract::CommandKind;
using contract::RequestId;
using testing::HasSubstr;

constexpr std::uint64_t kAddress = 0x1000;
const PeCoord kPe0{SipId(0), CubeId(0), PeId(0)}, kPe1{SipId(0), CubeId(0), PeId(1)},
    kPe2{SipId(0), CubeId(0), PeId(2)};
const PeCoord kOtherSip{SipId(1), CubeId(0), PeId(0)};

class RaceCheckerTest : public testing::Test {
 protected:
  void begin(RequestId launch, const std::vector<PeCoord>& pes) {
    auto kernel = std::make_shared<contract::KernelLaunch>();
    kernel->kernel = "k";
    checker.launch_submitted(launch);
    for (const PeCoord& pe : pes) checker.kernel_begins(pe, launch, kernel);
  }
  void end(RequestId launch, const std::vector<PeCoord>& pes) {
    for (const PeCoord& pe : pes) checker.kernel_ends(pe);
    checker.launch_completed(launch);
  }
  std::uint64_t start(const PeCoord& pe, CommandKind kind, std::optional<Dtype> added = std::nullopt,
                      std::uint64_t bytes = 64, bool assumed = false, bool prefetch = false) {
    Command command;
    command.kind = kind;
    command.call = kind == CommandKind::dma_read ? "load" : "store";
    command.memory = {{kAddress, bytes}};
    command.added = added;
    command.assumed = assumed;
    command.prefetch = prefetch;
    checker.issued(pe, ++commands);
    const TimeFs from = now;
    now += 1000_fs;
    checker.completed(pe, commands, command, nullptr, from, now);
    return commands;
  }
  // As a blocking call does: the kernel waits for it.
  void load(const PeCoord& pe) { checker.waited_for(pe, start(pe, CommandKind::dma_read)); }
  void store(const PeCoord& pe) { checker.waited_for(pe, start(pe, CommandKind::dma_write)); }
  void add(const PeCoord& pe, Dtype dtype = Dtype::f32) {
    checker.waited_for(pe, start(pe, CommandKind::dma_write, dtype));
  }
  void barrier(RequestId launch, const std::vector<PeCoord>& pes, BarrierScope scope = BarrierScope::cube) {
    for (const PeCoord& pe : pes) checker.barrier_reached(pe, launch, scope);
    for (const PeCoord& pe : pes) checker.barrier_passed(pe, launch, scope);
  }
  void host(RequestId request, bool writes) {
    checker.host_access_submitted(request, {kAddress, 64}, writes, now);
    now += 1000_fs;
    checker.host_access_completed(request, now);
  }
  std::vector<std::string> races() const {
    std::vector<std::string> texts;
    for (const Race& race : checker.races()) texts.push_back(race.text);
    return texts;
  }

  RaceChecker checker{[](std::uint64_t) { return false; }, true};
  std::uint64_t commands = 0;
  TimeFs now = 0_fs;
};

// What it reads counts for the load that takes it, as of its own call.
TEST_F(RaceCheckerTest, APrefetchCountsWhenItIsTaken) {
  begin(1, {kPe0, kPe1});
  const std::uint64_t taken = start(kPe0, CommandKind::dma_read, std::nullopt, 64, false, true);
  store(kPe1);
  EXPECT_THAT(races(), testing::IsEmpty());
  checker.waited_for(kPe0, taken);
  ASSERT_EQ(races().size(), 1U);
  EXPECT_THAT(races()[0], HasSubstr("read by tl.load"));
}

TEST_F(RaceCheckerTest, AnAbandonedPrefetchReadsNothing) {
  begin(1, {kPe0, kPe1});
  const std::uint64_t dropped = start(kPe0, CommandKind::dma_read, std::nullopt, 64, false, true);
  checker.abandoned(kPe0, dropped);
  store(kPe0);  // its own store, which has dropped it
  checker.waited_for(kPe0, dropped);
  EXPECT_THAT(races(), testing::IsEmpty());
  const std::uint64_t other = start(kPe1, CommandKind::dma_read, std::nullopt, 64, false, true);
  checker.abandoned(kPe1, other);
  checker.waited_for(kPe1, other);
  EXPECT_THAT(races(), testing::IsEmpty());
}

// Shards that lie side by side: the first byte of the second one is the second owner's.
TEST_F(RaceCheckerTest, ABorderByteBelongsToTheShardThatBeginsThere) {
  auto layout = std::make_shared<contract::TensorLayout>();
  layout->name = "t";
  layout->nbytes = 128;
  layout->shards = {{kPe1, kAddress - 64, 64, 0, {}}, {kPe2, kAddress, 64, 64, {}}};
  auto kernel = std::make_shared<contract::KernelLaunch>();
  kernel->kernel = "k";
  kernel->args = {std::shared_ptr<const contract::TensorLayout>(layout)};
  checker.launch_submitted(1);
  for (const PeCoord& pe : {kPe0, kPe1}) checker.kernel_begins(pe, 1, kernel);
  store(kPe0);
  store(kPe1);
  ASSERT_EQ(races().size(), 1U);
  EXPECT_THAT(races()[0], HasSubstr("bytes 64 to 127 of tensor 't' (in the memory of sip0.cube0.pe2)"));
}

TEST_F(RaceCheckerTest, TwoWritersWithoutAnOrder) {
  begin(1, {kPe0, kPe1});
  store(kPe0);
  store(kPe1);
  ASSERT_EQ(races().size(), 1U);
  EXPECT_THAT(races()[0], HasSubstr("sip0.cube0.pe0"));
  EXPECT_THAT(races()[0], HasSubstr("sip0.cube0.pe1"));
}

TEST_F(RaceCheckerTest, StoresKeepTheirOrderOnOneWriteChannel) {
  begin(1, {kPe0});
  start(kPe0, CommandKind::dma_write);
  start(kPe0, CommandKind::dma_write);
  EXPECT_TRUE(races().empty());
}

struct SeveralWriteChannels : RaceCheckerTest {
  SeveralWriteChannels() {
    checker = RaceChecker([](std::uint64_t) { return false; }, false);
  }
};

TEST_F(SeveralWriteChannels, StoresUnderWayHaveNoOrder) {
  begin(1, {kPe0});
  store(kPe0);
  start(kPe0, CommandKind::dma_write);
  EXPECT_TRUE(races().empty()) << "the first one was waited for";
  start(kPe0, CommandKind::dma_write);
  ASSERT_EQ(races().size(), 1U);
  EXPECT_THAT(races()[0], HasSubstr("written by tl.store"));
}

TEST_F(RaceCheckerTest, AssumedBytesAreCountedAndNotCompared) {
  begin(1, {kPe0, kPe1});
  store(kPe0);
  checker.waited_for(kPe1, start(kPe1, CommandKind::dma_write, std::nullopt, 64, true));
  EXPECT_TRUE(races().empty());
  EXPECT_EQ(checker.not_compared(), 1U);
  barrier(1, {kPe0, kPe1});
  load(kPe1);
  EXPECT_TRUE(races().empty()) << "the store of PE 0 is still the last one";
  store(kPe0);
  EXPECT_EQ(races().size(), 1U);
}

TEST_F(RaceCheckerTest, ReadsNeedNoOrder) {
  begin(1, {kPe0, kPe1});
  load(kPe0);
  load(kPe1);
  EXPECT_TRUE(races().empty());
}

TEST_F(RaceCheckerTest, ACompositeReadsTheOperandsOfItsEpilogues) {  // P-14, P-55b
  begin(1, {kPe0, kPe1});
  store(kPe0);
  Command composite;
  composite.kind = CommandKind::composite;
  composite.call = "composite";
  Epilogue epilogue;
  epilogue.second = OperandRef::tensor({{kAddress + 32, 64}}, {32}, Dtype::f16);
  epilogue.in_memory = {false, true};
  composite.epilogues = {epilogue};
  checker.issued(kPe1, ++commands);
  checker.completed(kPe1, commands, composite, nullptr, now, now + 1000_fs);
  ASSERT_EQ(races().size(), 1U);
  EXPECT_THAT(races()[0], HasSubstr("32 bytes at physical address 0x1020"));
  EXPECT_THAT(races()[0], HasSubstr("read by tl.composite"));
}

TEST_F(RaceCheckerTest, ABarrierPutsUsesIntoAnOrder) {
  begin(1, {kPe0, kPe1});
  store(kPe0);
  barrier(1, {kPe0, kPe1});
  load(kPe1);
  EXPECT_TRUE(races().empty());
}

TEST_F(RaceCheckerTest, AStoreThatNobodyWaitedForIsNotOrderedByABarrier) {
  begin(1, {kPe0, kPe1});
  start(kPe0, CommandKind::dma_write);
  barrier(1, {kPe0, kPe1});
  load(kPe1);
  EXPECT_EQ(races().size(), 1U);
}

TEST_F(RaceCheckerTest, AMessagePutsUsesIntoAnOrder) {
  begin(1, {kPe0, kPe1});
  store(kPe0);
  checker.message_sent(kPe0, 0x9000);
  checker.issued(kPe1, ++commands);
  checker.message_received(kPe1, commands, 0x9000);
  checker.waited_for(kPe1, commands);
  load(kPe1);
  EXPECT_TRUE(races().empty());
}

TEST_F(RaceCheckerTest, AdditionsMayComeInAnyOrder) {
  begin(1, {kPe0, kPe1, kPe2});
  add(kPe0);
  add(kPe1);
  add(kPe2);
  add(kPe0);
  EXPECT_TRUE(races().empty());
}

TEST_F(RaceCheckerTest, AdditionsInTwoTypesAreARace) {
  begin(1, {kPe0, kPe1});
  add(kPe0);
  add(kPe1, Dtype::f16);
  EXPECT_EQ(races().size(), 1U);
}

// PE 1 added after PE 0 and is in an order with the load; PE 0 is not.
TEST_F(RaceCheckerTest, EveryAdditionIsRemembered) {
  begin(1, {kPe0, kPe1});
  add(kPe0);
  add(kPe1);
  load(kPe1);
  ASSERT_EQ(races().size(), 1U);
  EXPECT_THAT(races()[0], HasSubstr("sip0.cube0.pe0"));
}

// The store is before the addition of PE 0 and in no order with that of PE 1, which may come before both.
TEST_F(RaceCheckerTest, AnAdditionDoesNotStandForWhatWasBeforeIt) {
  begin(1, {kPe0, kPe1});
  store(kPe0);
  add(kPe0);
  add(kPe1);
  ASSERT_EQ(races().size(), 1U);
  EXPECT_EQ(checker.races()[0].pairs, 1U);
}

TEST_F(RaceCheckerTest, AReadBeforeAnAdditionIsRemembered) {
  begin(1, {kPe0, kPe1});
  load(kPe0);
  add(kPe0);
  add(kPe1);
  ASSERT_EQ(races().size(), 1U);
  EXPECT_THAT(races()[0], HasSubstr("read by tl.load"));
}

TEST_F(RaceCheckerTest, AdditionsAreOverAfterABarrier) {
  begin(1, {kPe0, kPe1, kPe2});
  add(kPe0);
  add(kPe1);
  barrier(1, {kPe0, kPe1, kPe2});
  load(kPe2);
  store(kPe2);
  EXPECT_TRUE(races().empty());
}

// Each part of a range has its own history.
TEST_F(RaceCheckerTest, PartsOfARangeAreApart) {
  begin(1, {kPe0, kPe1});
  start(kPe0, CommandKind::dma_read, std::nullopt, 256);
  store(kPe1);  // of the first 64 bytes
  ASSERT_EQ(races().size(), 1U);
  EXPECT_THAT(races()[0], HasSubstr("64 bytes at physical address 0x1000"));
}

TEST_F(RaceCheckerTest, TheHostMayReadWhatALaunchHasWrittenOnceItHasTheAnswer) {
  begin(1, {kPe0});
  store(kPe0);
  end(1, {kPe0});
  host(2, false);
  EXPECT_TRUE(races().empty());
}

TEST_F(RaceCheckerTest, TheHostReadsBesideALaunchThatWrites) {
  begin(1, {kPe0});
  store(kPe0);
  host(2, false);
  ASSERT_EQ(races().size(), 1U);
  EXPECT_THAT(races()[0], HasSubstr("read by the host"));
  end(1, {kPe0});
}

TEST_F(RaceCheckerTest, AHostReadBesideAKernelThatReadsIsNone) {
  begin(1, {kPe0});
  load(kPe0);
  host(2, false);
  EXPECT_TRUE(races().empty());
}

// The copy was submitted first and ends after the load began.
TEST_F(RaceCheckerTest, AHostCopyThatIsUnderWayWhenTheKernelReads) {
  checker.host_access_submitted(1, {kAddress, 64}, true, now);
  begin(2, {kPe0});
  load(kPe0);
  checker.host_access_completed(1, now);
  ASSERT_EQ(races().size(), 1U);
  EXPECT_THAT(races()[0], HasSubstr("written by the host"));
}

TEST_F(RaceCheckerTest, AHostCopyThatHasEndedIsBeforeALaterLaunch) {
  host(1, true);
  begin(2, {kPe0});
  load(kPe0);
  EXPECT_TRUE(races().empty());
}

TEST_F(RaceCheckerTest, LaunchesOnTwoSipsAtOneTimeHaveNoOrder) {
  begin(1, {kPe0});
  begin(2, {kOtherSip});
  store(kPe0);
  load(kOtherSip);
  ASSERT_EQ(races().size(), 1U);
  EXPECT_THAT(races()[0], HasSubstr("sip1.cube0.pe0"));
}

TEST_F(RaceCheckerTest, TheHostOrdersLaunchesOfTwoSips) {
  begin(1, {kPe0});
  store(kPe0);
  end(1, {kPe0});
  begin(2, {kOtherSip});
  load(kOtherSip);
  EXPECT_TRUE(races().empty());
}

// Each SIP has its own barrier of a launch.
TEST_F(RaceCheckerTest, ABarrierOfOneSipOrdersNothingOnAnother) {
  begin(1, {kPe0, kOtherSip});
  store(kPe0);
  barrier(1, {kPe0}, BarrierScope::sip);
  barrier(1, {kOtherSip}, BarrierScope::sip);
  load(kOtherSip);
  EXPECT_EQ(races().size(), 1U);
}

}  // namespace
}  // namespace kb::check
