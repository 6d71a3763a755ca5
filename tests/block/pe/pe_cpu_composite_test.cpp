// Composites beside a running kernel: PE_CPU with the real blocks of its PE.
#include <gmock/gmock.h>

#include "platform/base/error.h"
#include "platform/contract/completion.h"
#include "platform/contract/i_pe.h"
#include "tests/block/pe/pe_cpu_machine.h"

namespace kb::test {
namespace {

using contract::IPe;

TEST(PeCpuComposite, ACompositeGoesOnBesideTheKernel) {  // P-54, section 9: composite does not block, wait does
  PeMachine machine(scripted_memory());
  std::vector<TimeFs> times;
  const auto now = [&] { return machine.platform->scheduler().now(); };
  machine.kernels.add("overlap", [&](IPe& pe) {
    const IPe::Ticket ticket = pe.submit(composite(32, 640, 32));
    times.push_back(now());
    pe.execute(cycles(10));
    times.push_back(now());
    pe.wait(ticket, {});
    times.push_back(now());
  });
  machine.launch("overlap", kReady);
  machine.run();
  ASSERT_TRUE(machine.answers[0].status.ok) << machine.answers[0].status.message;
  EXPECT_EQ(times[0], kReady);
  EXPECT_EQ(times[1], kReady + 10 * kNs);
  ASSERT_EQ(machine.log.commands.size(), 1u);
  EXPECT_EQ(times[2], machine.log.commands[0].end);
  EXPECT_EQ(machine.answers[0].result->compute, 10 * 16 * kNs);  // the tiles' own times, not the composite's
  const auto dma = [&](const char* name) { return machine.time("sip0.cube0.pe0.pe_dma", name); };
  EXPECT_EQ(machine.answers[0].result->dma, dma("read_busy") + dma("write_busy"));
}

TEST(PeCpuComposite, AKernelEndsWithItsComposites) {
  PeMachine machine(scripted_memory());
  machine.kernels.add("forgetful", [](IPe& pe) {
    pe.submit(composite(32, 640, 32));
    pe.submit(composite(32, 64, 32));
  });
  machine.launch("forgetful", kReady);
  machine.run();
  ASSERT_EQ(machine.log.commands.size(), 2u);
  EXPECT_EQ(machine.answers[0].result->exec, machine.log.commands[1].end - kReady);
}

TEST(PeCpuComposite, ACompositeThatFailsFailsItsKernel) {
  PeMachine machine(scripted_memory());
  machine.memory.status = [](const payload::Transaction&) { return payload::Status{false, "MEMORY_ERROR", "no row"}; };
  bool thrown = false;
  machine.kernels.add("careful", [&](IPe& pe) {
    const IPe::Ticket ticket = pe.submit(composite(32, 640, 32));
    try {
      pe.wait(ticket, {});
    } catch (const Error& error) {
      thrown = error.code() == "MEMORY_ERROR";
    }
  });
  machine.kernels.add("forgetful", [](IPe& pe) { pe.submit(composite(32, 640, 32)); });
  machine.launch("careful", kReady);
  machine.launch("forgetful", 100 * kReady);
  machine.run();
  EXPECT_TRUE(thrown);
  EXPECT_TRUE(machine.answers[0].status.ok);
  EXPECT_EQ(machine.answers[1].status.code, "MEMORY_ERROR");
}

}  // namespace
}  // namespace kb::test
