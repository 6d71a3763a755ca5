// Map and unmap requests at the host port (A-47 .. A-49 and what a host program can get wrong).
#include <gmock/gmock.h>

#include "platform/address/address_space.h"
#include "platform/contract/i_host.h"
#include "platform/contract/requests.h"
#include "platform/contract/tensor_layout.h"
#include "tests/block/host/host_fixture.h"

namespace kb::sim {
namespace {

using contract::IHost;
using test::Fixture;
using test::MachineShape;
using test::pe;
using test::wait_for;
using testing::ElementsAre;
using testing::HasSubstr;

const MachineShape kTwoByTwo{1, 2, 2, 1, {"NW"}};
const MachineShape kTwoSips{2, 2, 1, 2, {"NW"}};
const std::vector<std::pair<std::string, std::string>> kVirtual{{"cube.memory_map.address_model", "va"}};
const std::vector<std::pair<std::string, std::string>> kPhysical{{"cube.memory_map.address_model", "pa"}};
const std::vector<std::pair<std::string, std::string>> kLogical{{"cube.memory_map.address_model", "la"}};
constexpr std::uint64_t kVa = 0x1'0000'0000;

// 8 KiB over two shards at PE 0 and PE 1 of cube 0, at 4 KiB.
contract::MapRequest mapping(const Fixture& f, std::uint64_t id = 1, std::uint64_t va = kVa,
                             address::AddressSpace space = address::AddressSpace::va) {
  auto tensor = std::make_shared<contract::TensorLayout>();
  tensor->id = id;
  tensor->name = "a" + std::to_string(id);
  tensor->shape = {64, 64};
  tensor->nbytes = 8192;
  tensor->va_base = address::encode(space, va);
  contract::MapRequest request;
  request.tensor = tensor;
  request.sip = SipId(0);
  request.entries = {{va, f.hbm(pe(0, 0, 0), 4096), 4096}, {va + 4096, f.hbm(pe(0, 0, 1), 4096), 4096}};
  request.page_size = 4096;
  return request;
}

TEST(MapRequest, AMapTravelsToEveryPeMmu) {  // A-47 .. A-49: with the latency of the way there and back
  Fixture f(kTwoByTwo, {}, kVirtual);
  EXPECT_EQ(f.port.machine().address_model, AddressModel::va);
  EXPECT_EQ(f.port.machine().page_size, 4096u);
  contract::MapRequest request = mapping(f);
  request.entries.pop_back();
  request.cubes = {CubeId(1), CubeId(3)};
  f.run([&](IHost& host) {
    const contract::RequestId id = host.submit(request);
    EXPECT_EQ(host.now(), 0_fs);
    EXPECT_TRUE(wait_for(host, id).ok);
    request.unmap = true;
    EXPECT_TRUE(wait_for(host, host.submit(request)).ok);
  });
  std::vector<std::string> nodes;
  for (const auto& arrival : f.machine.script.arrivals) nodes.push_back(arrival.node);
  EXPECT_THAT(nodes, ElementsAre("sip0.cube1.pe0.pe_mmu", "sip0.cube3.pe0.pe_mmu", "sip0.cube1.pe0.pe_mmu",
                                 "sip0.cube3.pe0.pe_mmu"));
  EXPECT_GT(f.port.completion(1).completed, f.machine.formula("sip0.io0.pcie_ep", "sip0.io0.io_cpu") +
                                                f.machine.formula("sip0.io0.io_cpu", "sip0.cube3.m_cpu"));
}

TEST(MapRequest, RefusesBadMapsAtTheCall) {  // issue: each names tensor, shape and address
  Fixture f(kTwoSips, {}, kVirtual);
  const auto refusal = [&](const std::function<void(contract::MapRequest&)>& change) {
    contract::MapRequest request = mapping(f);
    change(request);
    return f.refusal(request);
  };
  const auto expect = [](const std::pair<std::string, std::string>& found, const char* code, const char* text) {
    EXPECT_EQ(found.first, code);
    EXPECT_THAT(found.second, HasSubstr("tensor 'a1' f16 (64, 64) at VA 0x1"));
    EXPECT_THAT(found.second, HasSubstr(text));
  };
  expect(refusal([](auto& m) { m.page_size = 8192; }), "SCHEMA_ERROR",
         "was allocated in pages of 8192 bytes, but PE_MMU has pages of 4096");
  expect(refusal([](auto& m) { m.entries[1].va -= 1; }), "ADDRESS_ERROR", "bytes at VA 0x100000fff overlap");
  expect(refusal([](auto& m) { m.entries[1].va += 1; }), "ADDRESS_ERROR",
         "the entry of 4096 bytes at VA 0x100001001 is outside of the tensor's 8192 bytes");
  expect(refusal([](auto& m) { m.entries.clear(); }), "ADDRESS_ERROR", "no entries");
  expect(refusal([](auto& m) { m.entries[0].nbytes = 0; }), "ADDRESS_ERROR", "is empty");
  expect(refusal([](auto& m) { m.entries[0].pa = 0x200'0000; }), "ADDRESS_ERROR",
         "is not a memory that reads and writes go to");
  expect(refusal([](auto& m) { m.cubes = {CubeId(7)}; }), "SCHEMA_ERROR", "cubes 7 does not exist");
  expect(refusal([](auto& m) { m.unmap = true; }), "ADDRESS_ERROR", "unmapped before or never mapped");
  const contract::MapRequest shifted = mapping(f, 1, kVa + 64);
  expect(f.refusal(shifted), "ADDRESS_ERROR", "does not start at a page of 4096 bytes; 0x100000000 does");
  EXPECT_EQ(refusal([](auto& m) { m.tensor = nullptr; }).first, "SCHEMA_ERROR");
  EXPECT_EQ(f.port.requests(), 0u);
}

TEST(MapRequest, RefusesOverlapsBetweenTensorsAndASecondUnmap) {
  Fixture f(kTwoSips, {}, kVirtual);
  contract::MapRequest request = mapping(f);
  EXPECT_EQ(f.refusal(request).first, "accepted");
  EXPECT_EQ(f.refusal(request).first, "accepted");  // the same tensor, as for other PEs
  const auto overlap = f.refusal(mapping(f, 2, kVa + 4096));
  EXPECT_EQ(overlap.first, "ADDRESS_ERROR");
  EXPECT_THAT(overlap.second, HasSubstr("tensor 'a2' f16 (64, 64) at VA 0x100001000: its range, to 0x100002fff, "
                                        "overlaps that of tensor 'a1' at VA 0x100000000 to 0x100001fff"));
  EXPECT_EQ(f.refusal(mapping(f, 2, kVa + 8192)).first, "accepted");
  request.unmap = true;
  EXPECT_EQ(f.refusal(request).first, "accepted");
  EXPECT_EQ(f.refusal(request).first, "ADDRESS_ERROR");
  EXPECT_EQ(f.refusal(mapping(f, 3)).first, "accepted");
}

// segments go to the PE_DMAs and are rolled back from there, over the same way as a map.
TEST(MapRequest, SegmentsTravelToEveryPeDma) {
  Fixture f(kTwoByTwo, {}, kLogical);
  EXPECT_EQ(f.port.machine().address_model, AddressModel::la);
  contract::MapRequest request = mapping(f, 1, kVa, address::AddressSpace::la);
  request.entries.pop_back();
  request.cubes = {CubeId(1), CubeId(3)};
  f.run([&](IHost& host) {
    EXPECT_TRUE(wait_for(host, host.submit(request)).ok);
    request.unmap = true;
    EXPECT_TRUE(wait_for(host, host.submit(request)).ok);
  });
  std::vector<std::string> found;
  for (const auto& arrival : f.machine.script.arrivals) {
    found.push_back(arrival.node + " " + std::string(payload::translation_verb(*arrival.message)));
  }
  EXPECT_THAT(found, ElementsAre("sip0.cube1.pe0.pe_dma segment install", "sip0.cube3.pe0.pe_dma segment install",
                                 "sip0.cube1.pe0.pe_dma segment removal", "sip0.cube3.pe0.pe_dma segment removal"));
  const auto& last = std::get<payload::BaawSegmentRemoveMsg>(*f.machine.script.arrivals.back().message);
  EXPECT_EQ(last.la_base, address::LogicalAddr(kVa));
  EXPECT_EQ(last.la_size, 4096u);
  EXPECT_GT(f.port.completion(1).completed, f.machine.formula("sip0.io0.pcie_ep", "sip0.io0.io_cpu") +
                                                f.machine.formula("sip0.io0.io_cpu", "sip0.cube3.m_cpu"));
}

TEST(MapRequest, RefusesBadSegmentsAtTheCall) {
  Fixture f(kTwoSips, {}, kLogical);
  constexpr auto kLa = address::AddressSpace::la;
  EXPECT_EQ(f.refusal(mapping(f, 1, kVa, kLa)).first, "accepted");
  const auto collision = f.refusal(mapping(f, 2, kVa + 64, kLa));
  EXPECT_EQ(collision.first, "ADDRESS_ERROR");
  EXPECT_THAT(collision.second, HasSubstr("tensor 'a2' f16 (64, 64) at LA 0x100000040: its range, to 0x10000203f, "
                                          "overlaps that of tensor 'a1' at LA 0x100000000 to 0x100001fff"));
  contract::MapRequest inside = mapping(f, 3, kVa + 8192, kLa);
  inside.entries[1].va -= 1;
  EXPECT_THAT(f.refusal(inside).second, HasSubstr("4096 bytes at LA 0x100002000 and of 4096 bytes at LA 0x100002fff "
                                                  "overlap"));
  inside.entries[1].va += 2;
  EXPECT_THAT(f.refusal(inside).second, HasSubstr("at LA 0x100003001 is outside of the tensor's 8192 bytes"));
  EXPECT_THAT(f.refusal(mapping(f)).second, HasSubstr("this machine addresses tensors by LA"));
}

TEST(MapRequest, RefusesMapsWithoutVirtualMemory) {
  Fixture f(kTwoSips, {}, kPhysical);
  EXPECT_EQ(f.port.machine().address_model, AddressModel::pa);
  EXPECT_THAT(f.refusal(mapping(f)).second, HasSubstr("set cube.memory_map.address_model to va"));
}

}  // namespace
}  // namespace kb::sim
