// A device at pins: AXI4 ports of its targets and of the memory behind it, and the AXI4-Lite port of its registers.
#include <gmock/gmock.h>

#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "platform/address/phys_addr.h"
#include "platform/base/units.h"
#include "sim/ports/device/axi_lite_port.h"
#include "sim/ports/device/device.h"
#include "sim/ports/device/device_queue.h"
#include "tests/machine/device/axi_wires.h"

namespace kb {
namespace {

using test::AxiWires;
using testing::ElementsAre;

std::uint64_t hbm(std::uint64_t offset) {
  return address::PhysAddr::pe_hbm_addr(SipId(0), CubeId(0), PeId(0), offset, 6 * kGiB).value();
}

DeviceConfig one_pe() {
  DeviceConfig config;
  config.topology = KB_CONFIG_DIR "/one_pe.yaml";
  config.may_end_early = true;
  return config;
}

class Thread final : public sc_core::sc_module {
 public:
  Thread(const sc_core::sc_module_name& name, std::function<void()> program)
      : sc_core::sc_module(name), program_(std::move(program)) {
    SC_HAS_PROCESS(Thread);
    SC_THREAD(run);
  }
  tlm_utils::simple_initiator_socket_optional<Thread> socket{"socket"};
  bool done = false;

 private:
  void run() {
    program_();
    done = true;
    sc_core::sc_stop();
  }
  std::function<void()> program_;
};

// TLM -> pins -> TLM -> device, compared with plain memory.
template <unsigned kBits>
void compare_random_transfers() {
  constexpr std::uint64_t kBytes = 5000;
  Device npu("npu", one_pe());
  AxiWires<kBits> wires;
  AxiMemoryPort<kBits> manager("manager");
  AxiPort<kBits> port("port");
  wires.connect(manager);
  wires.connect(port);
  wires.aresetn = true;
  port.initiator.bind(npu.target("cpu0"));
  std::mt19937 random(kBits);
  std::vector<unsigned char> model(kBytes);
  int wrong = 0;
  Thread* initiator = nullptr;
  const auto transfer = [&](bool write, std::uint64_t offset, std::vector<unsigned char>& data,
                            std::vector<unsigned char>* enables) {
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(hbm(offset));
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
    if (enables != nullptr) {
      payload.set_byte_enable_ptr(enables->data());
      payload.set_byte_enable_length(static_cast<unsigned>(enables->size()));
    }
    sc_core::sc_time delay;
    initiator->socket->b_transport(payload, delay);
    if (!payload.is_response_ok()) ++wrong;
  };
  Thread cpu("cpu", [&] {
    transfer(true, 0, model, nullptr);
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t offset = random() % (kBytes - 1), most = std::min<std::uint64_t>(700, kBytes - offset);
      std::vector<unsigned char> data(1 + random() % most), enables;
      if (random() % 2 == 0) {
        transfer(false, offset, data, nullptr);
        if (std::memcmp(data.data(), &model[offset], data.size()) != 0) ++wrong;
        continue;
      }
      for (unsigned char& byte : data) byte = static_cast<unsigned char>(random());
      for (std::size_t at = 0; at < data.size(); ++at) {
        enables.push_back(i % 3 == 0 && random() % 2 == 0 ? TLM_BYTE_DISABLED : TLM_BYTE_ENABLED);
        if (enables.back() == TLM_BYTE_ENABLED) model[offset + at] = data[at];
      }
      transfer(true, offset, data, &enables);
    }
  });
  initiator = &cpu;
  cpu.socket.bind(manager.target);
  sc_core::sc_start();
  EXPECT_TRUE(cpu.done);
  EXPECT_EQ(wrong, 0);
}

TEST(AxiPorts, RandomTransfersOf8BitsAreThoseOfPlainMemory) {
  compare_random_transfers<8>();
}
TEST(AxiPorts, RandomTransfersOf32BitsAreThoseOfPlainMemory) {
  compare_random_transfers<32>();
}
TEST(AxiPorts, RandomTransfersOf64BitsAreThoseOfPlainMemory) {
  compare_random_transfers<64>();
}
TEST(AxiPorts, RandomTransfersOf128BitsAreThoseOfPlainMemory) {
  compare_random_transfers<128>();
}
TEST(AxiPorts, RandomTransfersOf512BitsAreThoseOfPlainMemory) {
  compare_random_transfers<512>();
}

// A bench that drives the pins by hand, an edge at a time.
struct Bench {
  AxiWires<32> wires;

  void edge() { sc_core::wait(wires.aclk.posedge_event()); }
  void write(std::uint64_t address, std::uint32_t type, const std::vector<std::uint32_t>& data, std::uint32_t strobes) {
    wires.awaddr = address, wires.awlen = static_cast<std::uint32_t>(data.size() - 1);
    wires.awsize = 2, wires.awburst = type, wires.awid = 5, wires.awvalid = true, wires.bready = true;
    do edge();
    while (!wires.awready.read());
    wires.awvalid = false;
    for (std::size_t i = 0; i < data.size(); ++i) {
      wires.wdata = data[i], wires.wstrb = strobes, wires.wlast = i + 1 == data.size(), wires.wvalid = true;
      do edge();
      while (!wires.wready.read());
    }
    wires.wvalid = false;
    while (!wires.bvalid.read()) edge();
    EXPECT_EQ(wires.bid.read(), 5u);
  }
  std::vector<std::uint32_t> read(std::uint64_t address, std::uint32_t type, std::uint32_t beats) {
    wires.araddr = address, wires.arlen = beats - 1, wires.arsize = 2, wires.arburst = type, wires.arid = 9;
    wires.arvalid = true, wires.rready = true;
    do edge();
    while (!wires.arready.read());
    wires.arvalid = false;
    std::vector<std::uint32_t> data;
    while (data.size() < beats) {
      edge();
      if (!wires.rvalid.read()) continue;
      data.push_back(wires.rdata.read());
      EXPECT_EQ(wires.rlast.read(), data.size() == beats);
      EXPECT_EQ(wires.rid.read(), 9u);
    }
    return data;
  }
};

TEST(AxiPort, BurstsOfEveryTypeAndStrobes) {
  constexpr std::uint32_t kFixed = 0, kIncrementing = 1, kWrap = 2;
  Device npu("npu", one_pe());
  Bench bench;
  AxiPort<32> port("port");
  bench.wires.connect(port);
  port.initiator.bind(npu.target("cpu0"));
  Thread program("program", [&] {
    bench.edge();
    bench.wires.aresetn = true;
    bench.write(hbm(0), kIncrementing, {10, 11, 12, 13}, 0xf);
    EXPECT_THAT(bench.read(hbm(0), kIncrementing, 4), ElementsAre(10, 11, 12, 13));
    EXPECT_THAT(bench.read(hbm(8), kWrap, 4), ElementsAre(12, 13, 10, 11));
    EXPECT_THAT(bench.read(hbm(4), kFixed, 2), ElementsAre(11, 11));
    bench.write(hbm(4), kFixed, {0xffffff01, 0xffffff02}, 0x1);  // the last one stays, in the lowest byte
    EXPECT_THAT(bench.read(hbm(0), kIncrementing, 2), ElementsAre(10, 2));
    EXPECT_EQ(bench.wires.rresp.read(), 0u);
    bench.read(0x10, kIncrementing, 1);  // no memory is there
    EXPECT_EQ(bench.wires.rresp.read(), static_cast<std::uint32_t>(AxiResponse::decode_error));
  });
  sc_core::sc_start();
  EXPECT_TRUE(program.done);
}

TEST(AxiLitePort, RegistersAreReadAndWritten) {
  Device npu("npu", one_pe());
  AxiLitePort port("port");
  port.initiator.bind(npu.registers());
  sc_core::sc_clock clk("clk", sc_core::sc_time(1, sc_core::SC_NS));
  sc_core::sc_signal<bool> aresetn, awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  sc_core::sc_signal<std::uint32_t> awaddr, wdata, wstrb, bresp, araddr, rdata, rresp;
  port.aclk(clk), port.aresetn(aresetn), port.awvalid(awvalid), port.awready(awready), port.awaddr(awaddr);
  port.wvalid(wvalid), port.wready(wready), port.wdata(wdata), port.wstrb(wstrb), port.bvalid(bvalid);
  port.bready(bready), port.bresp(bresp), port.arvalid(arvalid), port.arready(arready), port.araddr(araddr);
  port.rvalid(rvalid), port.rready(rready), port.rdata(rdata), port.rresp(rresp);
  const auto edge = [&] { sc_core::wait(clk.posedge_event()); };
  const auto write = [&](std::uint32_t address, std::uint32_t data, std::uint32_t strobes) {
    wdata = data, wstrb = strobes, wvalid = true, bready = true;  // data before their address
    do edge();
    while (!wready.read());
    wvalid = false;
    awaddr = address, awvalid = true;
    do edge();
    while (!awready.read());
    awvalid = false;
    while (!bvalid.read()) edge();
    return bresp.read();
  };
  const auto read = [&](std::uint32_t address) {
    araddr = address, arvalid = true, rready = true;
    do edge();
    while (!arready.read());
    arvalid = false;
    while (!rvalid.read()) edge();
    return rdata.read();
  };
  Thread program("program", [&] {
    edge();
    aresetn = true;
    EXPECT_EQ(read(KB_REG_VERSION), KB_QUEUE_VERSION);
    EXPECT_EQ(write(KB_REG_QUEUE_SIZE, 8, 0xf), 0u);
    EXPECT_EQ(read(KB_REG_QUEUE_SIZE), 8u);
    EXPECT_EQ(write(KB_REG_QUEUE_SIZE, 9, 0x3), static_cast<std::uint32_t>(AxiResponse::slave_error));
    EXPECT_EQ(read(KB_REG_QUEUE_SIZE), 8u);
    read(0x1000);
    EXPECT_EQ(rresp.read(), static_cast<std::uint32_t>(AxiResponse::decode_error));
  });
  sc_core::sc_start();
  EXPECT_TRUE(program.done);
}

}  // namespace
}  // namespace kb
