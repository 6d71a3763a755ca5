// Messages of the facade (chapter 07, sections 5 and 6): commands and mistakes. Times and contents: the tests of
// PE_IPCQ.
#include <gmock/gmock.h>

#include "kernels/tl/recording_pe.h"
#include "kernels/tl/tl.h"
#include "platform/contract/command.h"
#include "tests/unit/kernels/expect_error.h"
#include "tests/unit/kernels/layouts.h"

namespace kb::tests {
namespace {

using contract::Command;
using contract::CommandKind;
using testing::ElementsAre;
using tl::Context;
using tl::TensorHandle;

struct TlMessage : ::testing::Test {
  tl::RecordingPe pe;
  Context tl{pe, "demo"};
  LayoutPtr x = whole("x", Dtype::f16, {8, 16}, 0x100000);

  const Command& last() const { return pe.commands().back(); }
};

TEST_F(TlMessage, SendsATensorOrMemory_Q32) {
  const TensorHandle value = tl.zeros({3, 5}, Dtype::f32);
  tl.send("E", value);
  EXPECT_EQ(last().kind, CommandKind::ipcq_send);
  EXPECT_EQ(last().direction, "E");
  EXPECT_THAT(last().local, ElementsAre(Extent{value.address(), 60}));
  tl.send("global_W", tl::Ptr(*x) + 16, {2, 4}, 16);
  EXPECT_EQ(last().direction, "global_W");
  EXPECT_THAT(last().local, ElementsAre(Extent{0x100020, 8}, Extent{0x100040, 8}));
}

TEST_F(TlMessage, ReceivesAValueOfItsOwn_Q37_Q93) {
  const TensorHandle first = tl.recv("N", {4}, Dtype::f32), second = tl.recv("N", {4}, Dtype::f32);
  EXPECT_EQ(last().kind, CommandKind::ipcq_recv);
  EXPECT_THAT(last().local, ElementsAre(Extent{second.address(), 16}));
  EXPECT_NE(first.address(), second.address());
  EXPECT_GE(first.address(), tl::RecordingPe::kMessageBase);
  EXPECT_TRUE(last().charge_slot);
  tl.recv_no_consume("N", {4});
  EXPECT_FALSE(last().charge_slot);
  const TensorHandle out = tl.empty({4}, Dtype::f32);
  tl.recv_into("S", out);
  EXPECT_THAT(last().local, ElementsAre(Extent{out.address(), 16}));
  tl.recv_into("S", tl::Ptr(*x), {16});
  EXPECT_THAT(last().local, ElementsAre(Extent{0x100000, 32}));
  EXPECT_EQ(tl.recv_any({2}).direction, "");  // the stub is served by nobody
}

TEST_F(TlMessage, ReceivedValuesAreReadAndSentOnButNotWritten_Q35) {
  const TensorHandle received = tl.recv("W", {16});
  const TensorHandle sum = received + received;
  tl.send("E", received);
  tl.store(tl::Ptr(*x), received);
  EXPECT_THAT(last().local, ElementsAre(Extent{received.address(), 32}));
  EXPECT_NE(sum.address(), received.address());
  TensorHandle writable = received;
  expect_program_error([&] { writable += sum; }, "KERNEL_ERROR", {"is a received message and cannot be written"});
  expect_program_error([&] { tl.assign(received, sum); }, "KERNEL_ERROR", {"cannot be written"});
  expect_program_error([&] { tl.recv_into("W", received); }, "KERNEL_ERROR", {"cannot be written"});
}

TEST_F(TlMessage, ReceivedValuesLiveAsLongAsTheirScope) {
  TensorHandle kept;
  std::uint64_t address = 0;
  {
    tl::Scratch scope(tl);
    kept = tl.recv("W", {16});
    address = kept.address();
  }
  expect_program_error([&] { tl.send("E", kept); }, "KERNEL_ERROR", {"scope that has ended"});
  EXPECT_EQ(tl.recv("W", {16}).address(), address);  // taken back, used again
}

TEST_F(TlMessage, AsynchronousReceivesAreWaitedForOnce_Q40) {
  const tl::Future future = tl.recv_async("W", {4});
  const std::size_t commands = pe.commands().size();
  EXPECT_EQ(tl.wait(future).shape(), Shape{4});
  EXPECT_EQ(pe.commands().size(), commands);
  expect_program_error([&] { tl.wait(future); }, "KERNEL_ERROR", {"tl.recv_async #1 was waited for before"});
}

TEST_F(TlMessage, MistakesAreExplained) {
  expect_program_error([&] { tl.send("", tl.zeros({4})); }, "QUEUE_ERROR", {"kernel demo, tl.send"});
  expect_program_error([&] { tl.recv("", {4}); }, "QUEUE_ERROR", {"recv_any"});
  expect_program_error([&] { tl.send("E", tl.trans(tl.zeros({4, 8}))); }, "KERNEL_ERROR", {"dense copy to send"});
  expect_program_error([&] { tl.recv("E", {0}); }, "SHAPE_ERROR", {"not possible"});
}

}  // namespace
}  // namespace kb::tests
