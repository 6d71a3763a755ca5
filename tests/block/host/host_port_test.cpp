#include "sim/run/host/host_port.h"

#include <gmock/gmock.h>

#include "platform/address/phys_addr.h"
#include "platform/contract/completion.h"
#include "platform/contract/data_mode.h"
#include "platform/contract/i_host.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/requests.h"
#include "platform/contract/tensor_layout.h"
#include "tests/block/host/host_fixture.h"

namespace kb::sim {
namespace {

using address::PhysAddr;
using contract::IHost;
using test::Fixture;
using test::MachineShape;
using test::pe;
using test::Reaction;
using test::wait_for;
using testing::ElementsAre;
using testing::HasSubstr;

const MachineShape kOneCube{1, 1, 1, 2, {"NW", "SE"}};  // 4 PEs
const MachineShape kTwoByTwo{1, 2, 2, 1, {"NW"}};
const MachineShape kTwoSips{2, 2, 1, 2, {"NW"}};

TEST(HostPort, DescribesTheMachine) {
  Fixture f(kTwoSips);
  EXPECT_EQ(f.port.machine().sips, 2);
  EXPECT_EQ(f.port.machine().cubes_per_sip, 2);
  EXPECT_EQ(f.port.machine().pes_per_cube, 2);
  EXPECT_EQ(f.port.machine().hbm_slice_bytes, f.machine.graph().spec.hbm_slice_bytes());
}

TEST(HostPort, WriteCompletesAndIsReported) {  // H-12, H-17
  Fixture f(kTwoByTwo);
  const PeCoord owner = pe(0, 3, 0);
  f.run([&](IHost& host) {
    const contract::RequestId id = host.submit(f.write(owner, 4096, 1000));
    EXPECT_EQ(host.now(), 0_fs);  // submission takes no time (K-32)
    EXPECT_FALSE(host.done(id));
    const contract::Completion& completion = wait_for(host, id);
    EXPECT_TRUE(completion.ok);
    EXPECT_TRUE(completion.error_code.empty());
    EXPECT_EQ(completion.submitted, 0_fs);
    EXPECT_EQ(completion.completed, host.now());
  });
  // Never faster than the formula of the way there plus the acknowledgement (H-8).
  const auto& route = f.machine.platform->routes().host_memory(f.machine.node("sip0.io0.pcie_ep"),
                                                               f.machine.node("sip0.cube3.hbm_ctrl.pe0"));
  EXPECT_GE(f.port.completion(1).completed, 2 * route.formula_fs);
  ASSERT_EQ(f.machine.writes.writes.size(), 1u);
  const auto& entry = f.machine.writes.writes.front();
  EXPECT_EQ(entry.node, f.machine.node("sip0.io0.pcie_ep"));
  EXPECT_EQ(entry.pa, f.hbm(owner, 4096));
  EXPECT_EQ(entry.end, f.port.completion(1).completed);
}

TEST(HostPort, ReadReturnsLaterThanTheFormula) {  // H-17, H-8
  Fixture f(kOneCube);
  contract::MemoryRead read;
  read.owner = pe(0, 0, 2);
  read.pa = f.hbm(read.owner, 0);
  read.nbytes = 4096;
  f.run([&](IHost& host) { EXPECT_TRUE(wait_for(host, host.submit(read)).ok); });
  EXPECT_TRUE(f.machine.writes.writes.empty());
  EXPECT_GT(f.port.completion(1).completed, 0_fs);
}

TEST(HostPort, SplitsAWriteAtTheSliceBoundary) {
  Fixture f(kOneCube);
  contract::MemoryWrite write = f.write(pe(0, 0, 0), f.slice() - 512, 1024);
  f.run([&](IHost& host) { EXPECT_TRUE(wait_for(host, host.submit(write)).ok); });
  EXPECT_EQ(f.machine.platform->pool().issued(), 2u);
  ASSERT_EQ(f.machine.writes.writes.size(), 1u);  // one request, one report
  EXPECT_EQ(f.machine.writes.writes.front().nbytes, 1024u);
  EXPECT_EQ(f.machine.platform->pool().outstanding(), 0u);
}

TEST(HostPort, ReachesTheCubeSram) {
  Fixture f(kOneCube);
  contract::MemoryWrite write;
  write.owner = pe(0, 0, 1);
  write.pa = PhysAddr::cube_sram_addr(SipId(0), CubeId(0), 256).value();
  write.nbytes = 64;
  f.run([&](IHost& host) { EXPECT_TRUE(wait_for(host, host.submit(write)).ok); });
}

TEST(HostPort, RefusesBadMemoryRequestsBeforeInjection) {  // H-15, V1
  Fixture f(kOneCube);
  const auto good = f.write(pe(0, 0, 0), 0, 256);
  const auto with = [&](auto change) {
    contract::MemoryWrite w = good;
    change(w);
    return f.refusal(w);
  };
  using W = contract::MemoryWrite;
  auto r = with([](W& w) { w.owner.cube = CubeId(); });
  EXPECT_EQ(r.first, "SCHEMA_ERROR");
  EXPECT_THAT(r.second, HasSubstr("'cube' is missing"));
  r = with([](W& w) { w.owner.pe = PeId(4); });
  EXPECT_EQ(r.first, "SCHEMA_ERROR");
  EXPECT_THAT(r.second, HasSubstr("pe 4 does not exist; the machine has 4 (0 to 3)"));
  r = with([](W& w) { w.nbytes = 0; });
  EXPECT_EQ(r.first, "SCHEMA_ERROR");
  r = with([](W& w) { w.pattern.width = 3; });
  EXPECT_EQ(r.first, "SCHEMA_ERROR");
  r = with([](W& w) {
    w.buffer = std::make_shared<const std::vector<std::byte>>(300);
    w.buffer_offset = 100;
  });
  EXPECT_EQ(r.first, "SCHEMA_ERROR");
  EXPECT_THAT(r.second, HasSubstr("the host buffer has 300 bytes, but bytes 100 to 356"));
  r = with([&](W& w) { w.pa = f.hbm(pe(0, 0, 3), f.slice() - 16); });  // beyond the last slice
  EXPECT_EQ(r.first, "ADDRESS_ERROR");
  r = with([&](W& w) { w.pa = f.hbm(pe(0, 0, 1), 0); });  // the tag names another PE's slice
  EXPECT_EQ(r.first, "ADDRESS_ERROR");
  EXPECT_THAT(r.second, HasSubstr("pe1"));
  r = with([](W& w) { w.pa = PhysAddr::pe_tcm_addr(SipId(0), CubeId(0), PeId(1), 0).value(); });
  EXPECT_EQ(r.first, "ADDRESS_ERROR");
  r = with([](W& w) { w.pa = PhysAddr::pe_tcm_addr(SipId(0), CubeId(0), PeId(0), 4 << 20).value(); });
  EXPECT_THAT(r.second, HasSubstr("ends past the"));
  r = with(
      [](W& w) { w.pa = PhysAddr::pe_resource_addr(SipId(0), CubeId(0), PeId(0), address::PeUnit::ipcq, 0).value(); });
  EXPECT_THAT(r.second, HasSubstr("is not a memory that reads and writes go to"));
  r = with([](W& w) { w.memory = MemoryKind::tcm; });  // dst_mem_kind
  EXPECT_EQ(r.first, "ADDRESS_ERROR");
  EXPECT_THAT(r.second, HasSubstr("dst_mem_kind is tcm, but the address is"));
  EXPECT_EQ(f.port.requests(), 0u);
  EXPECT_EQ(f.machine.platform->pool().issued(), 0u);
}

TEST(HostPort, RefusesBadLaunchesBeforeInjection) {  // H-15, V1
  Fixture f(kOneCube);
  const auto with = [&](auto change) {
    auto l = f.launch();
    change(*l);
    return f.refusal(std::shared_ptr<const contract::KernelLaunch>(l));
  };
  using L = contract::KernelLaunch;
  auto r = with([](L& l) { l.kernel = "gem"; });
  EXPECT_EQ(r.first, "KERNEL_ERROR");
  EXPECT_THAT(r.second, HasSubstr("did you mean 'gemm'?"));
  r = with([](L& l) { l.cubes.clear(); });
  EXPECT_EQ(r.first, "SCHEMA_ERROR");
  EXPECT_THAT(r.second, HasSubstr("field 'cubes' is empty"));
  r = with([](L& l) { l.pes.clear(); });
  EXPECT_THAT(r.second, HasSubstr("field 'pes' is empty"));
  r = with([](L& l) { l.pes = {PeId(1), PeId(1)}; });
  EXPECT_THAT(r.second, HasSubstr("ascending"));
  r = with([](L& l) { l.cubes = {CubeId(7)}; });
  EXPECT_THAT(r.second, HasSubstr("cubes 7 does not exist"));
  r = with([](L& l) { l.sip = SipId(); });
  EXPECT_THAT(r.second, HasSubstr("'sip' is missing"));
  r = with([](L& l) { l.args.clear(); });
  EXPECT_THAT(r.second, HasSubstr("kernel nop: 0 values for 1 parameters; it takes t: tensor (optional)"));
  r = with([](L& l) { l.args[0] = std::int64_t{1}; });
  EXPECT_THAT(r.second, HasSubstr("kernel nop: argument 't' must be a tensor; the integer 1 was given"));
  r = with([](L& l) { l.args[0] = std::shared_ptr<const contract::TensorLayout>(); });
  EXPECT_EQ(r.first, "SCHEMA_ERROR");
  r = with([](L& l) {
    auto tensor = std::make_shared<contract::TensorLayout>();
    tensor->name = "a";
    tensor->shards.push_back({{SipId(0), CubeId(0), PeId()}, 0, 16, 0});
    l.args[0] = std::shared_ptr<const contract::TensorLayout>(tensor);
  });
  EXPECT_THAT(r.second, HasSubstr("argument 't', a shard of tensor 'a': field 'pe' is missing"));
  EXPECT_EQ(f.refusal(std::shared_ptr<const contract::KernelLaunch>()).first, "SCHEMA_ERROR");
  EXPECT_TRUE(f.port.launches().empty());
}

TEST(HostPort, LaunchRunsAndIsRecorded) {  // H-31, H-37, V2
  Fixture f(kTwoByTwo);
  f.machine.script.reaction = [](const PeCoord& at) {
    Reaction r;
    r.result.exec = (100 + at.cube.value) * 1_ns;
    r.result.dma = 7_ns;
    r.result.late = at.cube.value == 2 ? 3_ns : 0_fs;
    r.after = r.result.exec;
    return r;
  };
  auto launch = f.launch();
  launch->cubes = {CubeId(0), CubeId(1), CubeId(2)};
  launch->label = "first";
  f.run([&](IHost& host) { EXPECT_EQ(wait_for(host, host.submit(launch)).pes.size(), 3u); });
  ASSERT_EQ(f.port.launches().size(), 1u);
  const LaunchRecord& record = f.port.launches().front();
  EXPECT_EQ(record.id, 1u);
  EXPECT_EQ(record.kernel, "nop");
  EXPECT_EQ(record.label, "first");
  EXPECT_TRUE(record.ok);
  EXPECT_EQ(record.start, f.machine.script.arrivals.front().stamp);
  EXPECT_EQ(record.summary.exec_min, 100_ns);
  EXPECT_EQ(record.summary.exec_max, 102_ns);
  EXPECT_EQ(record.summary.dma_max, 7_ns);
  EXPECT_EQ(record.summary.compute_max, 0_fs);
  EXPECT_EQ(record.summary.late_pes, 1u);
  EXPECT_EQ(record.summary.late_max, 3_ns);
  EXPECT_EQ(record.completed, f.port.completion(1).completed);
}

TEST(HostPort, FailureReachesTheHostWithItsCause) {  // H-12, H-41
  Fixture f(kOneCube);
  f.machine.script.reaction = [](const PeCoord&) {
    Reaction r;
    r.status = {false, "ADDRESS_ERROR", "address 0x1 is not implemented"};
    return r;
  };
  f.run([&](IHost& host) {
    const contract::Completion& completion = wait_for(host, host.submit(f.launch()));
    EXPECT_FALSE(completion.ok);
    EXPECT_EQ(completion.error_code, "ADDRESS_ERROR");
    EXPECT_EQ(completion.error_message, "sip0.cube0.pe0: address 0x1 is not implemented");
  });
  EXPECT_EQ(f.port.launches().front().error_code, "ADDRESS_ERROR");
}

TEST(HostPort, CallbacksRunInCompletionOrder) {
  Fixture f(kTwoByTwo);
  std::vector<contract::RequestId> order;
  f.run([&](IHost& host) {
    const auto far = host.submit(f.write(pe(0, 3, 0), 0, 64 * kKiB));
    const auto near = host.submit(f.write(pe(0, 0, 0), 0, 256));
    for (auto id : {far, near}) host.on_done(id, [&order, id] { order.push_back(id); });
    wait_for(host, far);
    host.on_done(near, [&order] { order.push_back(99); });  // already done: at once
  });
  EXPECT_EQ(order.size(), 3u);
  EXPECT_EQ(order.back(), 99u);
  const bool far_first = f.port.completion(1).completed < f.port.completion(2).completed;
  EXPECT_EQ(order.front(), far_first ? 1u : 2u);
}

TEST(HostPort, RequestsEnterAtTheDestinationSip) {  // H-19
  Fixture f(kTwoSips);
  f.run([&](IHost& host) { wait_for(host, host.submit(f.write(pe(1, 0, 0), 0, 256))); });
  EXPECT_EQ(f.machine.writes.writes.front().node, f.machine.node("sip1.io0.pcie_ep"));
}

TEST(HostPort, CommonStartAlignsLaunchesOfSeveralSips) {  // H-49
  Fixture f(kTwoSips);
  auto a = f.launch(0), b = f.launch(1);
  b->cubes = {CubeId(0), CubeId(1)};
  b->pes = {PeId(0), PeId(1)};
  f.run([&](IHost& host) {
    const std::optional<TimeFs> start = host.common_start({*a, *b});
    ASSERT_TRUE(start.has_value());
    a->target_start = b->target_start = start;
    const auto first = host.submit(std::shared_ptr<const contract::KernelLaunch>(a));
    const auto second = host.submit(std::shared_ptr<const contract::KernelLaunch>(b));
    wait_for(host, first);
    wait_for(host, second);
    TimeFs last = 0_fs;
    for (const test::Arrival& arrival : f.machine.script.arrivals) {
      EXPECT_EQ(arrival.start, *start) << arrival.node;
      last = std::max(last, arrival.ready);
    }
    EXPECT_EQ(last, *start);  // tight: the farthest PE needs no wait
  });
  EXPECT_EQ(f.machine.script.arrivals.size(), 5u);
}

TEST(HostPort, NamesOpenRequestsAndAbandonsThemWithTimeout) {  // H-41, acceptance check 9
  Fixture f(kOneCube);
  f.machine.script.reaction = [](const PeCoord&) {
    Reaction r;
    r.answer = false;
    return r;
  };
  std::string unwound;
  f.port.run_main([&](IHost& host) {
    try {
      wait_for(host, host.submit(f.launch()));
    } catch (const Error& error) {
      unwound = error.code();
      throw;
    }
  });
  sc_core::sc_start();
  EXPECT_FALSE(f.port.main_finished());
  EXPECT_EQ(f.port.open_requests(), 1u);
  std::vector<elab::WaitInfo> waits;
  f.port.collect_waits(waits);
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].who, "host: main program");
  EXPECT_EQ(waits[1].who, "host: launch #1 of kernel nop on sip0");
  EXPECT_EQ(waits[1].what, "response of sip0.io0.io_cpu at sip0.io0.pcie_ep");
  const std::vector<elab::WaitInfo> blocks = f.machine.platform->waits();
  EXPECT_TRUE(std::any_of(blocks.begin(), blocks.end(), [&](const elab::WaitInfo& w) { return f.port.reports(w); }));
  f.port.abandon("the machine stopped making progress", blocks);
  EXPECT_EQ(f.port.open_requests(), 0u);
  EXPECT_EQ(f.port.completion(1).error_code, "TIMEOUT");
  EXPECT_EQ(f.port.completion(1).error_message,
            "host: launch #1 of kernel nop on sip0 was never answered: the machine stopped making progress; "
            "sip0.io0.io_cpu: waiting for 1 of 1 cubes: cube0; sip0.cube0.m_cpu: waiting for 1 of 1 PEs: pe0");
  EXPECT_EQ(f.port.launches().front().error_code, "TIMEOUT");
  EXPECT_EQ(f.port.launches().front().completed, kNever);
  EXPECT_EQ(unwound, "TIMEOUT");
  EXPECT_TRUE(f.port.main_finished());
}

TEST(HostPort, ReadsMemoryThroughTheInjectedFunction) {
  HostPortOptions options;
  options.data_mode = contract::DataMode::eager;
  options.read_memory = [](std::uint64_t pa, std::uint64_t n) {
    return std::vector<std::byte>(n, static_cast<std::byte>(pa & 0xff));
  };
  Fixture f(kOneCube, options);
  EXPECT_EQ(f.port.data_mode(), contract::DataMode::eager);
  EXPECT_THAT(f.port.read_memory(0x1234, 2), ElementsAre(std::byte{0x34}, std::byte{0x34}));
}

TEST(HostPort, ReadsZerosWithoutData) {
  Fixture f(kOneCube);
  EXPECT_THAT(f.port.read_memory(0, 2), ElementsAre(std::byte{0}, std::byte{0}));
}

TEST(HostPort, WorkersWaitIndependently) {  // K-33, H-57
  Fixture f(kTwoSips);
  std::vector<std::string> log;
  f.run([&](IHost& host) {
    host.run_workers(2, "spawn", [&](int rank) {
      const auto sip = static_cast<std::uint32_t>(rank);
      const auto id = host.submit(f.write(pe(sip, 0, 0), 0, rank == 0 ? 64 * kKiB : 256));
      wait_for(host, id);
      log.push_back("rank" + std::to_string(host.current_worker()));
    });
  });
  EXPECT_THAT(log, ElementsAre("rank1", "rank0"));  // the short one is not held up by the long one
}

TEST(HostPort, UnknownRequestIsAModelError) {
  Fixture f(kOneCube);
  EXPECT_THROW(f.port.done(1), Error);
  EXPECT_THROW(f.port.completion(0), Error);
}

}  // namespace
}  // namespace kb::sim
