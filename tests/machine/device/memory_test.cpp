// Tests of an external memory behind an HBM controller or an SRAM.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <memory>

#include "examples/embedding/at_memory.h"
#include "examples/embedding/host_memory.h"
#include "modules/bridge/tlm_memory.h"
#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/base/units.h"
#include "platform/params/field_text.h"
#include "sim/ports/device/device.h"
#include "sim/study/process/isolate.h"
#include "sw/runtime/runtime.h"
#include "tests/machine/device/memory_case.h"
#include "tests/machine/device/player.h"

namespace kb {
namespace {

using test::Bind;
using test::hbm;
using test::isolated;
using test::ns;
using test::Outcome;

Bind at_memory(double accept, double latency) {
  return [=](Device& device) {
    auto memory = std::make_unique<AtMemory>("dram", ns(accept), ns(latency));
    device.memory("dram").bind(memory->socket);
    return memory;
  };
}

// One access of one flit: what the memory takes longer, the request takes longer, to the femtosecond.
TEST(OutsideMemory, ItsLatencyIsThatOfTheRequest) {
  for (const bool write : {false, true}) {
    const auto run = [&](double accept, double latency) {
      return isolated([&] {
        return test::run_memory_case(test::memory_machine("access_bytes: 64"), {test::make_transfer(write, hbm(0), 64)},
                                     at_memory(accept, latency));
      });
    };
    const Outcome base = run(0, 20);
    EXPECT_TRUE(base.ok);
    EXPECT_EQ(base.accesses, 1u);
    const Outcome slow = run(0, 57.25);
    EXPECT_EQ(slow.completed - base.completed, 37'250'000u);
    EXPECT_EQ(slow.waited_for_answer - base.waited_for_answer, 37'250'000u);
    EXPECT_EQ(slow.busy, slow.waited_for_answer) << "it is busy while it does not answer";
    EXPECT_EQ(slow.waited_for_accept, 0u);
    EXPECT_EQ(run(12.5, 20).completed - base.completed, 12'500'000u);
  }
}

TEST(OutsideMemory, AccessesAreAlignedAndEdgesWiden) {
  const auto accesses = [](std::uint64_t offset, std::size_t bytes, const std::string& attrs) {
    return isolated([&] {
             return test::run_memory_case(test::memory_machine(attrs), {test::make_transfer(false, hbm(offset), bytes)},
                                          at_memory(0, 10));
           })
        .accesses;
  };
  EXPECT_EQ(accesses(0, 256, "access_bytes: 64"), 4u);
  EXPECT_EQ(accesses(32, 64, "access_bytes: 64"), 2u);
  EXPECT_EQ(accesses(0, 1000, "access_bytes: 32"), 32u);
  EXPECT_EQ(accesses(0, 1, "access_bytes: 256"), 1u);
}

// The memory takes a request every 10 ns: 64 accesses last 640 ns and all but the first wait.
TEST(OutsideMemory, WithheldEndReqStallsAndIsCounted) {
  const Outcome outcome = isolated([] {
    return test::run_memory_case(test::memory_machine("access_bytes: 64"), {test::make_transfer(false, hbm(0), 4096)},
                                 at_memory(10, 10));
  });
  EXPECT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.accesses, 64u);
  EXPECT_NEAR(static_cast<double>(outcome.stall), 630e6, 1e3);
  // All are there at once, and the i-th is issued after i times 10 ns.
  EXPECT_NEAR(static_cast<double>(outcome.waited_for_accept), 63 * 64 / 2 * 10e6, 64e3);
  EXPECT_NEAR(static_cast<double>(outcome.busy), 650e6, 1e3) << "until the last is answered";
}

TEST(OutsideMemory, LimitsOfReadsAndWritesHoldBack) {
  const auto run = [](bool write, const std::string& attrs) {
    return isolated([&] {
      return test::run_memory_case(test::memory_machine("access_bytes: 64, " + attrs),
                                   {test::make_transfer(write, hbm(0), 1024)}, at_memory(0, 50));
    });
  };
  for (const bool write : {false, true}) {
    const std::uint64_t one = run(write, "max_reads: 1, max_writes: 1").completed;
    const std::uint64_t four = run(write, "max_reads: 4, max_writes: 4").completed;
    EXPECT_NEAR(static_cast<double>(one - four), (16 - 4) * 50e6, 5e6) << write;
  }
}

TEST(OutsideMemory, WritesMayBeAcknowledgedWhenTheyAreTaken) {
  const auto run = [](const std::string& ack) {
    return isolated([&] {
      return test::run_memory_case(test::memory_machine("access_bytes: 64, write_ack: " + ack),
                                   {test::make_transfer(true, hbm(0), 64)}, at_memory(0, 100));
    });
  };
  EXPECT_EQ(run("response").completed - run("accept").completed, 100'000'000u);
}

TEST(OutsideMemory, ALooselyTimedMemoryServesByBTransport) {
  const Outcome outcome = isolated([] {
    return test::run_memory_case(test::memory_machine("access_bytes: 64, mode: lt"),
                                 {test::make_transfer(true, hbm(0), 512), test::make_transfer(false, hbm(0), 512)},
                                 [](Device& device) {
                                   auto memory = std::make_unique<HostMemory>("dram", 4096);
                                   device.memory("dram").bind(memory->socket);
                                   return memory;
                                 });
  });
  EXPECT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.failed, 0);
  EXPECT_EQ(outcome.accesses, 16u);
}

TEST(OutsideMemory, AnSramCanBeOneToo) {
  const std::uint64_t sram = address::PhysAddr::cube_sram_addr(SipId(0), CubeId(0), 256).value();
  const Outcome outcome = isolated([&] {
    return test::run_memory_case(test::memory_machine("access_bytes: 128", "sip0.cube0.sram"),
                                 {test::make_transfer(true, sram, 512), test::make_transfer(false, sram, 512)},
                                 at_memory(1, 5));
  });
  EXPECT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.accesses, 8u);
}

// Misbehaves in one way.
class BadMemory final : public sc_core::sc_module {
 public:
  enum Way { error, never, twice, stray_end, incomplete };
  tlm_utils::simple_target_socket<BadMemory> socket{"socket"};
  BadMemory(const sc_core::sc_module_name& name, Way fault) : sc_core::sc_module(name), way_(fault), ready_("ready") {
    SC_HAS_PROCESS(BadMemory);
    socket.register_nb_transport_fw(this, &BadMemory::forward);
    SC_METHOD(answer);
    sensitive << ready_.get_event();
    dont_initialize();
  }

 private:
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ && way_ != never) ready_.notify(payload, delay + ns(5));
    return tlm::TLM_ACCEPTED;
  }
  void send(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase) {
    sc_core::sc_time delay;
    socket->nb_transport_bw(payload, phase, delay);
  }
  void answer() {
    tlm::tlm_generic_payload& payload = *ready_.get_next_transaction();
    if (way_ != incomplete) {
      payload.set_response_status(way_ == error ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    }
    if (way_ == stray_end) send(payload, tlm::END_RESP);
    send(payload, tlm::BEGIN_RESP);
    if (way_ == twice) send(payload, tlm::BEGIN_RESP);
  }
  Way way_;
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> ready_;
};

// Socket, transaction, time and, where there is one, the response by its name.
TEST(OutsideMemory, ItsFaultsAreNamed) {
  const std::string socket = "socket device.platform.sip0.cube0.hbm_ctrl_pe0.port", read = "read of 64 B at 0x0";
  const std::vector<std::pair<BadMemory::Way, std::vector<std::string>>> cases = {
      {BadMemory::error,
       {"memory 'dram' answers a " + read + " with TLM_ADDRESS_ERROR_RESPONSE (" + socket + ", at 2"}},
      {BadMemory::never, {"END_REQ of memory 'dram' to " + read, "for 50000 ns"}},
      {BadMemory::twice, {socket + ": a second BEGIN_RESP (" + read + ", at 2"}},
      {BadMemory::stray_end, {socket + ": END_RESP came on the backward path (" + read + ", at 2"}},
      {BadMemory::incomplete,
       {socket + ": the response has the status TLM_INCOMPLETE_RESPONSE (" + read + ", at 2",
        "answers a " + read + " with TLM_INCOMPLETE_RESPONSE"}},
  };
  for (const auto& [fault, says] : cases) {
    const Outcome outcome = isolated([fault = fault, says = says] {
      return test::run_memory_case(
          test::memory_machine("access_bytes: 64"), {test::make_transfer(false, hbm(0), 64)},
          [&](Device& device) {
            auto memory = std::make_unique<BadMemory>("dram", fault);
            device.memory("dram").bind(memory->socket);
            return memory;
          },
          says);
    });
    const bool fails = fault == BadMemory::error || fault == BadMemory::never || fault == BadMemory::incomplete;
    EXPECT_EQ(outcome.failed, fails ? 1 : 0) << fault;
  }
}

// As a DRAM's refresh does: something is always going to happen in the simulation.
class Refresh final : public sc_core::sc_module {
 public:
  explicit Refresh(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(Refresh);
    SC_METHOD(refresh);
  }

 private:
  void refresh() { next_trigger(ns(100)); }
};

TEST(OutsideMemory, ARefreshHidesNoHang) {
  for (const bool answers : {true, false}) {
    const Outcome outcome = isolated([&] {
      const Refresh refresh("refresh");
      const Bind never = [](Device& device) {
        auto memory = std::make_unique<BadMemory>("dram", BadMemory::never);
        device.memory("dram").bind(memory->socket);
        return memory;
      };
      return test::run_memory_case(
          test::memory_machine("access_bytes: 64"), {test::make_transfer(false, hbm(0), 64)},
          answers ? at_memory(1, 40) : never,
          answers ? std::vector<std::string>() : std::vector<std::string>{"nothing has happened inside for 50000 ns"});
    });
    EXPECT_EQ(outcome.ok, answers);
    EXPECT_EQ(outcome.failed, answers ? 0 : 1);
  }
}

TEST(OutsideMemory, UnboundAndUnknownSocketsAreNamed) {
  const auto message = [](const Bind& bind) -> std::string {
    return sim::run_isolated({[&] {
      try {
        test::run_memory_case(test::memory_machine("access_bytes: 64"), {}, bind);
      } catch (const std::exception& error) {
        return std::string(error.what());
      }
      return std::string("no error");
    }})[0];
  };
  EXPECT_NE(message([](Device&) { return nullptr; }).find("nothing is bound to its memory socket 'dram'"),
            std::string::npos);
  EXPECT_NE(message([](Device& device) {
              device.memory("dran");
              return nullptr;
            }).find("has no memory socket 'dran': did you mean 'dram'?"),
            std::string::npos);
}

TEST(OutsideMemory, ItsPageHasItsParameters) {
  std::ifstream file(KB_CONFIG_DIR "/../docs/blocks/tlm_memory.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(page.find(params::markdown_table(modules::TlmMemoryParams::fields())), std::string::npos)
      << params::markdown_table(modules::TlmMemoryParams::fields());
}

// A kernel whose operands lie in the outside memory computes what it should.
TEST(OutsideMemory, KernelsRunOnIt) {
  DeviceConfig config;
  config.topology_text = test::memory_machine("access_bytes: 64");
  Device device("device", config);
  AtMemory memory("dram", ns(1), ns(40));
  device.memory("dram").bind(memory.socket);
  bool done = false;
  device.run([&](sw::Runtime& runtime) {
    const sw::Tensor a = runtime.full({32, 32}, 2.0, Dtype::f16);
    const sw::Tensor b = runtime.full({32, 32}, 0.5, Dtype::f16);
    const sw::Tensor c = runtime.empty({32, 32}, Dtype::f16);
    runtime.wait(runtime.launch("gemm", {{"a", a}, {"b", b}, {"c", c}, {"m", 32}, {"k", 32}, {"n", 32}}));
    done = true;
    for (const double value : c.to_host().to_doubles()) ASSERT_EQ(value, 32.0);
  });
  sc_core::sc_start();
  EXPECT_TRUE(done);
  EXPECT_TRUE(device.idle());
  const DeviceReport report = device.finish();
  EXPECT_TRUE(report.ok) << report.error_message;
  EXPECT_TRUE(report.problems.empty()) << report.problems.front();
  EXPECT_GT(memory.requests(), 64);
}

}  // namespace
}  // namespace kb
