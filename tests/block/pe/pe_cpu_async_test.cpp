// Commands beside a running kernel: PE_CPU with the real blocks of its PE.
#include <gmock/gmock.h>

#include "platform/base/error.h"
#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"
#include "tests/block/pe/pe_machine.h"

namespace kb::test {
namespace {

using contract::CommandKind;
using contract::IPe;
using testing::ElementsAre;

constexpr TimeFs kReady = 1000 * kNs;
const std::string kDma = "cube.pe_template.components.pe_dma.attrs.";

struct PeCpuAsync : ::testing::Test {
  MachineOptions options;
  std::vector<TimeFs> times;  // since kReady

  PeCpuAsync() { options.scripted_memory = true; }

  // Runs the body as a kernel that starts at kReady; each note() adds the time.
  void run(const std::function<void(IPe&, PeMachine&)>& body) {
    machine = std::make_unique<PeMachine>(options);
    machine->kernels.add("demo", [&](IPe& pe) { body(pe, *machine); });
    machine->launch("demo", kReady);
    machine->run();
  }
  void note() { times.push_back(machine->platform->scheduler().now() - kReady); }
  contract::Command load(std::uint64_t at, std::uint64_t nbytes) const {
    return dma(CommandKind::dma_read, {{hbm(at), nbytes}}, {{machine->tcm(1 << 20), nbytes}});
  }
  contract::Command store(std::uint64_t at, std::uint64_t nbytes) const {
    return dma(CommandKind::dma_write, {{hbm(at), nbytes}}, {{machine->tcm(1 << 20), nbytes}});
  }
  std::vector<TimeFs> starts() const {
    std::vector<TimeFs> out;
    for (const OperationLog::Entry& entry : machine->log.commands) out.push_back(entry.start - kReady);
    return out;
  }
  std::unique_ptr<PeMachine> machine;
};

TEST_F(PeCpuAsync, CommandsGoOnBesideTheKernel) {
  run([&](IPe& pe, PeMachine&) {
    const IPe::Ticket ticket = pe.submit(load(0, 4096));
    note();
    pe.execute(gemm(32, 64, 32));
    note();
    pe.wait(ticket, {});
    note();
    pe.wait(pe.submit(gemm(32, 64, 32)), {});
    note();
  });
  const TimeFs loaded = machine->log.commands.at(1).end - kReady;
  EXPECT_EQ(machine->log.commands.at(1).kind, CommandKind::dma_read);
  EXPECT_GT(loaded, 100 * kNs);  // what the memory takes
  EXPECT_THAT(times, ElementsAre(0_fs, 16 * kNs, loaded, loaded + 16 * kNs));
}

TEST_F(PeCpuAsync, EachDmaChannelKeepsTheOrderOfTheCalls) {  // P-36, P-37
  run([&](IPe& pe, PeMachine&) {
    pe.submit(load(0, 4096));
    pe.submit(load(4096, 256));
    pe.submit(store(8192, 256));
  });
  std::vector<OperationLog::Entry> reads, writes;
  for (const OperationLog::Entry& entry : machine->log.commands) {
    (entry.kind == CommandKind::dma_read ? reads : writes).push_back(entry);
  }
  ASSERT_EQ(reads.size(), 2u);
  EXPECT_EQ(reads[0].start, kReady);
  EXPECT_EQ(reads[1].start, reads[0].end);
  EXPECT_EQ(writes.at(0).start, kReady);
}

TEST_F(PeCpuAsync, OutstandingReadsOverlap) {
  options.set = {{kDma + "rd_outstanding", "2"}};
  run([&](IPe& pe, PeMachine&) {
    for (std::uint64_t i = 0; i < 3; ++i) pe.submit(load(4096 * i, 4096));
  });
  const std::vector<TimeFs> begun = starts();
  ASSERT_EQ(begun.size(), 3u);
  EXPECT_EQ(begun[1], 0_fs);
  EXPECT_EQ(begun[2], machine->log.commands[0].end - kReady);
}

TEST_F(PeCpuAsync, OutstandingWritesOverlap) {  // and end in the order of the calls
  options.set = {{kDma + "wr_outstanding", "2"}};
  run([&](IPe& pe, PeMachine&) {
    const IPe::Ticket first = pe.submit(store(0, 4096)), second = pe.submit(store(4096, 4096));
    pe.wait(first, {});
    note();
    pe.wait(second, {});
    note();
  });
  constexpr TimeFs kStore4KiB = (2 + 100 + 2 + 17) * kNs + 4_fs;
  EXPECT_THAT(times, ElementsAre(kStore4KiB, kStore4KiB + 16 * kNs));  // behind 16 flits on the wire
  EXPECT_THAT(starts(), ElementsAre(0_fs, 0_fs));
}

TEST_F(PeCpuAsync, AWaitForWhatHasEndedTakesNoTime) {
  run([&](IPe& pe, PeMachine&) {
    const IPe::Ticket product = pe.submit(gemm(32, 64, 32));
    pe.execute(load(0, 4096));
    note();
    pe.wait(product, {});
    note();
  });
  EXPECT_EQ(times.at(0), times.at(1));
}

TEST_F(PeCpuAsync, WaitAnyReturnsWithTheFirstThatEnds) {
  std::vector<std::size_t> which;
  run([&](IPe& pe, PeMachine&) {
    const std::vector<IPe::Ticket> tickets{pe.submit(load(0, 4096)), pe.submit(gemm(32, 64, 32))};
    which.push_back(pe.wait_any(tickets, {}));
    note();
    pe.wait(tickets[1], {});
    which.push_back(pe.wait_any({tickets[0]}, {}));
    note();
    pe.wait(tickets[0], {});
    note();
    const IPe::Ticket first = pe.submit(gemm(32, 64, 32)), second = pe.submit(gemm(32, 64, 32));
    pe.execute(load(0, 4096));
    which.push_back(pe.wait_any({second, first}, {}));  // both have ended
    pe.wait(first, {});
    pe.wait(second, {});
  });
  EXPECT_THAT(which, ElementsAre(1u, 0u, 0u));
  EXPECT_EQ(times.at(0), 16 * kNs);
  EXPECT_EQ(times.at(1), times.at(2));
  EXPECT_EQ(times.at(1), machine->log.commands.at(1).end - kReady);
}

TEST_F(PeCpuAsync, AFailureArrivesAtTheWait) {
  std::string code;
  run([&](IPe& pe, PeMachine& whole) {
    whole.memory.status = [](const auto&) { return payload::Status{false, "MEMORY_ERROR", "no row"}; };
    const IPe::Ticket ticket = pe.submit(load(0, 256));
    pe.execute(gemm(32, 64, 32));
    note();
    try {
      pe.wait(ticket, {});
    } catch (const Error& error) {
      code = error.code();
    }
  });
  EXPECT_EQ(times.at(0), 16 * kNs);
  EXPECT_EQ(code, "MEMORY_ERROR");
  EXPECT_TRUE(machine->answers[0].status.ok);
}

// A product that is added to what is there reads that, too.
TEST_F(PeCpuAsync, AnAccumulatorIsFetchedWhereFetchesAreCharged) {
  options.set = {{"cube.pe_template.components.pe_scheduler.attrs.charge_fetch_store", "true"}};
  run([&](IPe& pe, PeMachine&) {
    contract::Command command = gemm(32, 64, 32);
    pe.execute(command);
    note();
    command.accumulate = true;
    pe.execute(command);
    note();
  });
  const std::uint64_t product = total_bytes(gemm(32, 64, 32).out.extents);
  EXPECT_EQ(times.at(1) - times.at(0), times.at(0) + Bandwidth(512).occupancy(product));
}

}  // namespace
}  // namespace kb::test
