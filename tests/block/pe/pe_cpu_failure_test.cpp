// Kernels, commands and messages that fail on PE_CPU: what the kernel, the host and the simulation see of it.
#include <gmock/gmock.h>

#include <stdexcept>

#include "platform/base/error.h"
#include "platform/contract/command.h"
#include "platform/contract/completion.h"
#include "platform/contract/i_pe.h"
#include "tests/block/pe/pe_cpu_machine.h"

namespace kb::test {
namespace {

using contract::CommandKind;
using contract::IPe;
using testing::HasSubstr;

TEST(PeCpuFailure, AnUnknownKernelFailsWithASuggestion) {
  PeMachine machine;
  machine.kernels.add("gemm", [](IPe&) {});
  const std::size_t launch = machine.launch("gem", kReady, 2 * kReady);
  machine.run();
  const PeMachine::Answer& answer = machine.answers[launch];
  EXPECT_FALSE(answer.status.ok);
  EXPECT_EQ(answer.status.code, "KERNEL_ERROR");
  EXPECT_EQ(answer.status.message, "there is no kernel 'gem'; did you mean 'gemm'?");
  EXPECT_EQ(answer.result->error_code, "KERNEL_ERROR");
  EXPECT_EQ(answer.result->start, kReady);  // it does not wait for the barrier
}

TEST(PeCpuFailure, AFailingAccessReachesTheKernelAndTheHost) {  // H-41
  PeMachine machine(scripted_memory());
  std::string seen;
  machine.kernels.add("k", [&](IPe& pe) {
    contract::Command command = load(pe, 64);
    command.memory[0].pa = hbm(machine.graph().spec.hbm_bytes_per_cube);
    try {
      pe.execute(command);
    } catch (const Error& error) {
      EXPECT_EQ(error.family(), ErrorFamily::program);
      seen = error.code();
      throw;
    }
  });
  machine.kernels.add("next", [](IPe& pe) { pe.execute(load(pe, 4096)); });
  machine.launch("k", kReady);
  machine.launch("next", kReady);
  machine.run();
  EXPECT_EQ(seen, "ADDRESS_ERROR");
  EXPECT_EQ(machine.answers[0].status.code, "ADDRESS_ERROR");
  EXPECT_EQ(machine.answers[0].result->error_code, "ADDRESS_ERROR");
  EXPECT_EQ(machine.answers[0].result->error_message, machine.answers[0].status.message);
  EXPECT_TRUE(machine.answers[1].status.ok);  // the PE goes on
  EXPECT_EQ(machine.answers[1].result->exec, kLoad);
}

TEST(PeCpuFailure, AKernelMayGoOnAfterAFailingAccess) {
  PeMachine machine(scripted_memory());
  machine.memory.status = [n = 0](const payload::Transaction&) mutable {
    return n++ == 0 ? payload::Status{false, "ECC_ERROR", "uncorrectable"} : payload::Status{};
  };
  machine.kernels.add("k", [&](IPe& pe) {
    EXPECT_THROW(pe.execute(load(pe, 4096)), Error);
    pe.execute(load(pe, 4096));
  });
  machine.launch("k", kReady);
  machine.run();
  EXPECT_TRUE(machine.answers[0].status.ok);
  EXPECT_EQ(machine.log.commands.size(), 1u);
}

TEST(PeCpuFailure, AnyExceptionOfAKernelEndsOnlyItsLaunch) {
  PeMachine machine;
  machine.kernels.add("std", [](IPe&) { throw std::out_of_range("index 9"); });
  machine.kernels.add("odd", [](IPe&) { throw 5; });
  machine.kernels.add("fine", [](IPe&) {});
  for (const char* kernel : {"std", "odd", "fine"}) machine.launch(kernel, kReady);
  machine.run();
  EXPECT_EQ(machine.answers[0].status.code, "KERNEL_ERROR");
  EXPECT_EQ(machine.answers[0].status.message, "kernel std threw an exception: index 9");
  EXPECT_EQ(machine.answers[1].status.message, "kernel odd threw an object that is not a std::exception");
  EXPECT_TRUE(machine.answers[2].status.ok);
  EXPECT_EQ(machine.statistics(kCpu).at("failures"), 2);
}

// A model Error is a fault of the simulator: it must not end as a failed launch of the kernel.
TEST(PeCpuFailure, AModelErrorInAKernelThreadEndsTheSimulation) {
  PeMachine machine;
  machine.kernels.add("k", [](IPe&) { throw Error::model("an invariant does not hold"); });
  machine.launch("k", kReady);
  try {
    machine.run();
    FAIL() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("in kernel k: an invariant does not hold"));
  }
  EXPECT_FALSE(machine.answers[0].arrived);
}

// The command is gone when the error is reported.
TEST(PeCpuFailure, NamesTheCallOfAModelErrorInACommand) {
  PeMachine machine;
  contract::Command command;
  machine.kernels.add("k", [&](IPe& pe) {
    struct Overwrite {
      contract::Command& command;
      ~Overwrite() { command.call = "gone"; }
    };
    command.kind = static_cast<CommandKind>(200);
    command.call = "dot";
    command.call_index = 3;
    const Overwrite in_the_end{command};
    pe.execute(command);
  });
  machine.launch("k", kReady);
  try {
    machine.run();
    FAIL() << "a command of no kind was taken";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("in kernel k, tl.dot #3: "));
  }
}

TEST(PeCpuFailure, OtherMessagesAreRefused) {
  PeMachine machine;
  const std::size_t number = machine.send(kCpu, kReady, payload::Op::message, payload::MmuMapMsg{});
  machine.run();
  EXPECT_EQ(machine.answers[number].status.code, "UNSUPPORTED_REQUEST");
}

}  // namespace
}  // namespace kb::test
