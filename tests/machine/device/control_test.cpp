// The control block: what a driver on a foreign CPU sees.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

#include "examples/embedding/host_memory.h"
#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/base/units.h"
#include "sim/ports/device/device.h"
#include "sim/ports/device/device_queue.h"
#include "tests/machine/device/axi_wires.h"
#include "tests/machine/device/systemc_reports.h"

namespace kb {
namespace {

std::uint64_t hbm(std::uint64_t offset) {
  return address::PhysAddr::pe_hbm_addr(SipId(0), CubeId(0), PeId(0), offset, 6 * kGiB).value();
}

// A CPU that runs a C++ function instead of instructions.
class Cpu final : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
 public:
  Cpu(const sc_core::sc_module_name& name, HostMemory* host_memory, std::function<void(Cpu&)> program)
      : sc_core::sc_module(name), memory(host_memory), program_(std::move(program)) {
    SC_HAS_PROCESS(Cpu);
    SC_THREAD(run);
    registers.bind(*this);
  }
  tlm::tlm_initiator_socket<32> registers{"registers"};
  sc_core::sc_in<bool> irq{"irq"};
  HostMemory* memory;  // null: there is none
  bool done = false;

  tlm::tlm_response_status access(bool write, std::uint32_t offset, std::uint32_t& value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay;
    registers->b_transport(payload, delay);
    return payload.get_response_status();
  }
  void write(std::uint32_t offset, std::uint32_t value) {
    EXPECT_EQ(access(true, offset, value), tlm::TLM_OK_RESPONSE) << offset;
  }
  std::uint32_t read(std::uint32_t offset) {
    std::uint32_t value = 0;
    EXPECT_EQ(access(false, offset, value), tlm::TLM_OK_RESPONSE) << offset;
    return value;
  }
  kb_descriptor& descriptor(std::uint32_t index) { return memory->at<kb_descriptor>(kQueue)[index % kEntries]; }
  void start() {
    write(KB_REG_QUEUE_BASE, kQueue);
    write(KB_REG_QUEUE_BASE_HIGH, 0);
    write(KB_REG_QUEUE_SIZE, kEntries);
    write(KB_REG_IRQ_MASK, KB_IRQ_DONE | KB_IRQ_ERROR);
  }
  // Rings and waits for the interrupt, which it takes back.
  std::uint32_t ring(std::uint32_t produced) {
    write(KB_REG_DOORBELL, produced);
    EXPECT_EQ(read(KB_REG_STATUS) & KB_STATUS_BUSY, KB_STATUS_BUSY);
    while (!irq.read()) wait(irq.posedge_event());
    const std::uint32_t cause = read(KB_REG_IRQ_STATUS);
    write(KB_REG_IRQ_STATUS, cause);
    while (irq.read()) wait(irq.negedge_event());
    return cause;
  }
  static constexpr std::uint32_t kQueue = 0x1000, kEntries = 4;

 private:
  void run() {
    program_(*this);
    done = true;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  std::function<void(Cpu&)> program_;
};

DeviceReport run_program(const std::function<void(Cpu&)>& program) {
  DeviceConfig config;
  config.topology = KB_CONFIG_DIR "/one_pe.yaml";
  Device device("device", config);
  HostMemory memory("memory", 1 << 20);
  Cpu cpu("cpu", &memory, program);
  sc_core::sc_signal<bool> irq("irq");
  cpu.registers.bind(device.registers());
  device.host_memory.bind(memory.socket);
  device.irq.bind(irq);
  cpu.irq.bind(irq);
  sc_core::sc_start();
  EXPECT_TRUE(cpu.done);
  EXPECT_TRUE(device.idle());
  return device.finish();
}

kb_descriptor copy_descriptor(std::uint32_t op, std::uint64_t host, std::uint64_t device, std::uint64_t bytes) {
  kb_descriptor d{};
  d.op = op;
  d.host = host;
  d.device = device;
  d.bytes = bytes;
  return d;
}

kb_arg tensor(std::uint64_t pa, std::uint32_t dtype, std::uint64_t rows, std::uint64_t cols) {
  kb_arg arg{};
  arg.kind = KB_ARG_TENSOR;
  arg.dtype = dtype;
  arg.value = pa;
  arg.rows = rows;
  arg.cols = cols;
  return arg;
}

kb_arg integer(std::int64_t value) {
  kb_arg arg{};
  arg.kind = KB_ARG_INTEGER;
  arg.value = static_cast<std::uint64_t>(value);
  return arg;
}

// The same with the host's memory behind pins of AXI4.
TEST(Control, ADriverCopiesThroughPins) {
  DeviceConfig config;
  config.topology = KB_CONFIG_DIR "/one_pe.yaml";
  Device device("device", config);
  HostMemory memory("memory", 1 << 20);
  test::AxiWires<64> wires;
  AxiMemoryPort<64> manager("manager");
  AxiPort<64> port("port");
  wires.connect(manager);
  wires.connect(port);
  wires.aresetn = true;
  device.host_memory.bind(manager.target);
  port.initiator.bind(memory.socket);
  constexpr int kBytes = 10'000;  // more than two pages
  Cpu cpu("cpu", &memory, [](Cpu& driver) {
    auto* const there = driver.memory->at<unsigned char>(0x10123);
    for (int i = 0; i < kBytes; ++i) there[i] = static_cast<unsigned char>(i * 31 >> 3);
    auto* const before = driver.memory->at<unsigned char>(0x20000);
    auto* const behind = driver.memory->at<unsigned char>(0x20001 + kBytes);
    *before = *behind = 0xaa;
    driver.start();
    driver.descriptor(0) = copy_descriptor(KB_OP_COPY_TO_DEVICE, 0x10123, hbm(64), kBytes);
    driver.descriptor(1) = copy_descriptor(KB_OP_COPY_TO_HOST, 0x20001, hbm(64), kBytes);
    driver.descriptor(1).flags = KB_FLAG_INTERRUPT;
    EXPECT_EQ(driver.ring(2), KB_IRQ_DONE);
    EXPECT_EQ(std::memcmp(there, driver.memory->at<unsigned char>(0x20001), kBytes), 0);
    EXPECT_EQ(*before, 0xaa);  // no strobe
    EXPECT_EQ(*behind, 0xaa);
  });
  sc_core::sc_signal<bool> irq("irq");
  cpu.registers.bind(device.registers());
  device.irq.bind(irq);
  cpu.irq.bind(irq);
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US));  // a clock never ends
  EXPECT_TRUE(cpu.done);
  EXPECT_TRUE(device.finish().ok);
}

TEST(Control, ADriverCopiesLaunchesAndCopiesBack) {
  constexpr int kM = 24, kK = 40, kN = 16;
  const DeviceReport report = run_program([](Cpu& cpu) {
    EXPECT_EQ(cpu.read(KB_REG_ID), KB_ID_VALUE);
    EXPECT_EQ(cpu.read(KB_REG_VERSION), KB_QUEUE_VERSION);
    auto* const a = cpu.memory->at<std::int8_t>(0x10000);
    auto* const b = cpu.memory->at<std::int8_t>(0x20000);
    for (int i = 0; i < kM * kK; ++i) a[i] = static_cast<std::int8_t>(i * 7 % 23 - 11);
    for (int i = 0; i < kK * kN; ++i) b[i] = static_cast<std::int8_t>(i * 5 % 19 - 9);
    auto* const args = cpu.memory->at<kb_arg>(0x4000);
    args[0] = tensor(hbm(0), 3, kM, kK);
    args[1] = tensor(hbm(0x10000), 3, kK, kN);
    args[2] = tensor(hbm(0x20000), 5, kM, kN);
    args[3] = integer(kM);
    args[4] = integer(kK);
    args[5] = integer(kN);
    for (int i = 6; i < 9; ++i) args[i] = kb_arg{};
    cpu.start();
    cpu.descriptor(0) = copy_descriptor(KB_OP_COPY_TO_DEVICE, 0x10000, hbm(0), kM * kK);
    cpu.descriptor(1) = copy_descriptor(KB_OP_COPY_TO_DEVICE, 0x20000, hbm(0x10000), kK * kN);
    kb_descriptor launch{};
    launch.op = KB_OP_LAUNCH;
    launch.kernel = kb_kernel_hash("gemm");
    launch.args = 0x4000;
    launch.arg_count = 9;
    launch.cubes = 1;
    launch.pes = 1;
    launch.flags = KB_FLAG_INTERRUPT;
    cpu.descriptor(2) = launch;
    EXPECT_EQ(cpu.ring(3), KB_IRQ_DONE);
    EXPECT_EQ(cpu.read(KB_REG_DONE_COUNT), 3u);
    EXPECT_EQ(cpu.read(KB_REG_STATUS), 0u);
    // Around the end of the ring.
    cpu.descriptor(3) = copy_descriptor(KB_OP_FENCE, 0, 0, 0);
    cpu.descriptor(4) = copy_descriptor(KB_OP_COPY_TO_HOST, 0x30000, hbm(0x20000), kM * kN * 4);
    cpu.descriptor(4).flags = KB_FLAG_INTERRUPT;
    EXPECT_EQ(cpu.ring(5), KB_IRQ_DONE);
    const auto* const c = cpu.memory->at<std::int32_t>(0x30000);
    for (int row = 0; row < kM; ++row) {
      for (int col = 0; col < kN; ++col) {
        int sum = 0;
        for (int i = 0; i < kK; ++i) sum += a[row * kK + i] * b[i * kN + col];
        ASSERT_EQ(c[row * kN + col], sum) << row << ", " << col;
      }
    }
  });
  EXPECT_TRUE(report.ok) << report.error_message;
  EXPECT_TRUE(report.problems.empty()) << report.problems.front();
  EXPECT_EQ(report.launches, 1u);
}

TEST(Control, MistakesOfADriverAreTold) {
  const test::SystemcReports reports;
  const DeviceReport report = run_program([](Cpu& cpu) {
    cpu.start();
    std::uint32_t produced = 0;
    const auto expect = [&](const kb_descriptor& descriptor, std::uint32_t code) {
      cpu.descriptor(produced) = descriptor;
      EXPECT_EQ(cpu.ring(++produced), KB_IRQ_ERROR);
      EXPECT_EQ(cpu.read(KB_REG_ERROR), code) << produced;
      EXPECT_EQ(cpu.read(KB_REG_STATUS), KB_STATUS_ERROR);
      cpu.write(KB_REG_ERROR, 0);
      EXPECT_EQ(cpu.read(KB_REG_STATUS), 0u);
      EXPECT_EQ(cpu.read(KB_REG_DONE_COUNT), produced);
    };
    expect(copy_descriptor(77, 0, 0, 0), KB_ERROR_DESCRIPTOR);
    kb_descriptor launch{};
    launch.op = KB_OP_LAUNCH;
    launch.kernel = 12345;
    expect(launch, KB_ERROR_KERNEL);
    launch.kernel = kb_kernel_hash("gemm");
    expect(launch, KB_ERROR_ARGUMENT);
    launch.arg_count = 9;
    launch.args = 0x4000;
    auto* const args = cpu.memory->at<kb_arg>(0x4000);
    for (int i = 0; i < 9; ++i) args[i] = integer(1);
    args[4].kind = 9;
    expect(launch, KB_ERROR_ARGUMENT);
    args[4] = tensor(hbm(0), 17, 1, 1);
    expect(launch, KB_ERROR_ARGUMENT);
    args[4] = tensor(hbm(0), 3, 0, 1);
    expect(launch, KB_ERROR_ARGUMENT);
    args[4] = integer(1);
    expect(launch, KB_ERROR_ARGUMENT);  // no cubes
    launch.cubes = launch.pes = 1;
    expect(launch, KB_ERROR_ARGUMENT);  // a number where a tensor belongs
    launch.args = 0xfffff000;
    expect(launch, KB_ERROR_HOST_MEMORY);
    expect(copy_descriptor(KB_OP_COPY_TO_DEVICE, 0, 0x123, 64), KB_ERROR_ADDRESS);
    expect(copy_descriptor(KB_OP_COPY_TO_HOST, 0xfffffff0, hbm(0), 64), KB_ERROR_HOST_MEMORY);
    // A launch that fails: the kernel refuses its tile.
    launch.args = 0x4000;
    for (int i = 0; i < 3; ++i) args[i] = tensor(hbm(0), 3, 8, 8);
    for (int i = 3; i < 6; ++i) args[i] = integer(8);
    for (int i = 6; i < 9; ++i) args[i] = integer(0);
    expect(launch, KB_ERROR_FAILED);
  });
  EXPECT_EQ(report.error_code, "DRIVER_ERROR");
  EXPECT_EQ(report.problems.size(), 12u);
  EXPECT_EQ(reports.all().size(), 12u);  // each at its time
  for (const std::string& problem : report.problems) EXPECT_NE(problem.find("device.control: "), std::string::npos);
}

TEST(Control, RegistersAnswerWrongAccessesAsTheStandardSays) {
  run_program([](Cpu& cpu) {
    std::uint32_t value = 0;
    EXPECT_EQ(cpu.access(false, 2, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(cpu.access(false, KB_REG_IRQ_STATUS_OF(1), value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(cpu.access(true, KB_REG_DONE_COUNT, value), tlm::TLM_COMMAND_ERROR_RESPONSE);
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(KB_REG_ID);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    EXPECT_EQ(cpu.registers->transport_dbg(payload), 4u);
    EXPECT_EQ(value, KB_ID_VALUE);
    payload.set_data_length(3);
    payload.set_streaming_width(3);
    sc_core::sc_time delay;
    cpu.registers->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
  });
}

TEST(Control, EachDescriptorRaisesItsLine) {
  const test::SystemcReports reports;
  DeviceConfig config;
  config.topology = KB_CONFIG_DIR "/one_pe.yaml";
  config.irqs = 3;
  config.on_failure = "warning";
  Device device("device", config);
  HostMemory memory("memory", 1 << 20);
  sc_core::sc_signal<bool> irq("irq");
  std::vector<sc_core::sc_signal<bool>> more(2);
  Cpu cpu("cpu", &memory, [&](Cpu& own) {
    own.start();
    EXPECT_EQ(own.read(KB_REG_IRQ_LINES), 3u);
    std::uint32_t value = 1;
    EXPECT_EQ(own.access(true, KB_REG_IRQ_LINES, value), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(own.access(false, KB_REG_IRQ_STATUS_OF(3), value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    own.write(KB_REG_IRQ_MASK_OF(1), KB_IRQ_DONE);
    own.write(KB_REG_IRQ_MASK_OF(2), KB_IRQ_ERROR);
    own.descriptor(0).op = KB_OP_FENCE;
    own.descriptor(0).flags = KB_FLAG_INTERRUPT;
    own.descriptor(0).irq_line = 1;
    own.write(KB_REG_DOORBELL, 1);
    wait(more[0].posedge_event());
    EXPECT_FALSE(irq.read() || more[1].read());
    EXPECT_EQ(own.read(KB_REG_IRQ_STATUS), 0u);
    EXPECT_EQ(own.read(KB_REG_IRQ_STATUS_OF(1)), KB_IRQ_DONE);
    own.write(KB_REG_IRQ_STATUS_OF(1), KB_IRQ_DONE);
    wait(more[0].negedge_event());
    own.descriptor(1).op = 99;  // a mistake raises the line of its descriptor
    own.descriptor(1).irq_line = 2;
    own.write(KB_REG_DOORBELL, 2);
    wait(more[1].posedge_event());
    EXPECT_EQ(own.read(KB_REG_IRQ_STATUS_OF(2)), KB_IRQ_ERROR);
    own.descriptor(2).op = KB_OP_FENCE;
    own.descriptor(2).irq_line = 3;
    EXPECT_EQ(own.ring(3), KB_IRQ_ERROR);
  });
  cpu.registers.bind(device.registers());
  device.host_memory.bind(memory.socket);
  device.interrupt(0).bind(irq);
  device.interrupt(1).bind(more[0]);
  device.interrupt(2).bind(more[1]);
  cpu.irq.bind(irq);
  EXPECT_THROW(device.interrupt(3), Error);
  sc_core::sc_start();
  EXPECT_TRUE(cpu.done);
  const DeviceReport report = device.finish();
  ASSERT_EQ(report.problems.size(), 2u);
  EXPECT_NE(report.problems[1].find("descriptor 2 names the interrupt line 3, but there are 3"), std::string::npos);
}

// Without host memory the queue lies in the device's own memory, where a debugger has put it.
TEST(Control, TheQueueMayLieInTheDevicesMemory) {
  DeviceConfig config;
  config.topology = KB_CONFIG_DIR "/one_pe.yaml";
  Device device("device", config);
  Cpu cpu("cpu", nullptr, [](Cpu& own) {
    own.write(KB_REG_QUEUE_BASE, static_cast<std::uint32_t>(hbm(0x100)));
    own.write(KB_REG_QUEUE_BASE_HIGH, static_cast<std::uint32_t>(hbm(0x100) >> 32));
    own.write(KB_REG_QUEUE_SIZE, 1);
    own.write(KB_REG_IRQ_MASK, KB_IRQ_DONE);
    EXPECT_EQ(own.ring(1), KB_IRQ_DONE);
  });
  sc_core::sc_signal<bool> irq("irq");
  cpu.registers.bind(device.registers());
  device.irq.bind(irq);
  cpu.irq.bind(irq);
  kb_descriptor fence{};
  fence.op = KB_OP_FENCE;
  fence.flags = KB_FLAG_INTERRUPT;
  tlm::tlm_generic_payload payload;
  payload.set_write();
  payload.set_address(hbm(0x100));
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&fence));
  payload.set_data_length(sizeof fence);
  payload.set_streaming_width(sizeof fence);
  EXPECT_EQ(dynamic_cast<tlm::tlm_fw_transport_if<>&>(*device.target("cpu0").get_interface()).transport_dbg(payload),
            sizeof fence);
  sc_core::sc_start();
  EXPECT_TRUE(cpu.done);
}

}  // namespace
}  // namespace kb
