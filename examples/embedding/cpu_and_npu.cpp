// A CPU drives the machine as a driver does: it puts operands and descriptors into its own memory, rings the doorbell,
// waits for the interrupt and looks at the result, which a debugger can see in the machine, too.
//   ./cpu_and_npu machine.yaml
#include <kernbench/device.h>
#include <kernbench/device_queue.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdio>

#include "host_memory.h"

namespace {

constexpr std::uint64_t kHbm = 0x2000000000;  // physical, of PE 0
constexpr std::uint32_t kM = 32, kK = 64, kN = 32;
// In host memory.
constexpr std::uint32_t kQueue = 0x1000, kArgs = 0x2000, kA = 0x10000, kB = 0x20000, kC = 0x30000;
// In the machine.
constexpr std::uint64_t kDeviceA = kHbm, kDeviceB = kHbm + 0x10000, kDeviceC = kHbm + 0x20000;

}  // namespace

struct Cpu : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Cpu> registers{"registers"}, window{"window"};
  sc_core::sc_in<bool> irq{"irq"};
  bool right = false;

  Cpu(const sc_core::sc_module_name& name, HostMemory& host_memory) : sc_core::sc_module(name), memory(host_memory) {
    SC_HAS_PROCESS(Cpu);
    SC_THREAD(run);
  }

 private:
  std::uint32_t access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    sc_core::sc_time delay;
    registers->b_transport(payload, delay);
    return value;
  }
  void write(std::uint32_t offset, std::uint32_t value) { access(tlm::TLM_WRITE_COMMAND, offset, value); }
  std::uint32_t read(std::uint32_t offset) { return access(tlm::TLM_READ_COMMAND, offset, 0); }

  static kb_arg tensor(std::uint64_t pa, std::uint32_t dtype, std::uint64_t rows, std::uint64_t cols) {
    kb_arg arg{};
    arg.kind = KB_ARG_TENSOR;
    arg.dtype = dtype;
    arg.value = pa;
    arg.rows = rows;
    arg.cols = cols;
    return arg;
  }
  static kb_arg integer(std::uint64_t value) {
    kb_arg arg{};
    arg.kind = KB_ARG_INTEGER;
    arg.value = value;
    return arg;
  }
  static kb_descriptor copy(std::uint32_t op, std::uint64_t host, std::uint64_t device, std::uint64_t bytes) {
    kb_descriptor descriptor{};
    descriptor.op = op;
    descriptor.host = host;
    descriptor.device = device;
    descriptor.bytes = bytes;
    return descriptor;
  }

  void run() {
    for (std::uint32_t i = 0; i < kM * kK; ++i) memory.at<std::int8_t>(kA)[i] = static_cast<std::int8_t>(i % 7 - 3);
    for (std::uint32_t i = 0; i < kK * kN; ++i) memory.at<std::int8_t>(kB)[i] = static_cast<std::int8_t>(i % 5 - 2);

    // C = A x B, i8 x i8 -> i32; one argument for each parameter that `kernbench list --kernels` shows.
    kb_arg* const args = memory.at<kb_arg>(kArgs);
    args[0] = tensor(kDeviceA, 3, kM, kK);
    args[1] = tensor(kDeviceB, 3, kK, kN);
    args[2] = tensor(kDeviceC, 5, kM, kN);
    args[3] = integer(kM);
    args[4] = integer(kK);
    args[5] = integer(kN);
    for (int i = 6; i < 9; ++i) args[i] = kb_arg{};  // tile sizes: left out

    kb_descriptor* const queue = memory.at<kb_descriptor>(kQueue);
    queue[0] = copy(KB_OP_COPY_TO_DEVICE, kA, kDeviceA, kM * kK);
    queue[1] = copy(KB_OP_COPY_TO_DEVICE, kB, kDeviceB, kK * kN);
    queue[2] = kb_descriptor{};
    queue[2].op = KB_OP_LAUNCH;
    queue[2].kernel = kb_kernel_hash("gemm");
    queue[2].args = kArgs;
    queue[2].arg_count = 9;
    queue[2].cubes = queue[2].pes = 1;
    queue[3] = kb_descriptor{};
    queue[3].op = KB_OP_FENCE;
    queue[4] = copy(KB_OP_COPY_TO_HOST, kC, kDeviceC, kM * kN * 4);
    queue[4].flags = KB_FLAG_INTERRUPT;

    write(KB_REG_QUEUE_BASE, kQueue);
    write(KB_REG_QUEUE_SIZE, 16);
    write(KB_REG_IRQ_MASK, KB_IRQ_DONE | KB_IRQ_ERROR);
    write(KB_REG_DOORBELL, 5);
    while (!irq.read()) wait(irq.posedge_event());
    std::printf("interrupt %u at %s, %u descriptors done, error %u\n", read(KB_REG_IRQ_STATUS),
                sc_core::sc_time_stamp().to_string().c_str(), read(KB_REG_DONE_COUNT), read(KB_REG_ERROR));
    check();
  }

  void check() {
    std::int32_t sum = 0;  // of the first row and column
    for (std::uint32_t i = 0; i < kK; ++i) {
      sum += memory.at<std::int8_t>(kA)[i] * memory.at<std::int8_t>(kB)[i * kN];
    }
    std::int32_t seen = 0;  // by a debugger, in no time
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(kDeviceC);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&seen));
    payload.set_data_length(sizeof seen);
    payload.set_streaming_width(sizeof seen);
    right = window->transport_dbg(payload) == sizeof seen && seen == sum && *memory.at<std::int32_t>(kC) == sum;
    std::printf("C[0][0] is %d, should be %d: %s\n", seen, sum, right ? "right" : "wrong");
  }

  HostMemory& memory;
};

int sc_main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: cpu_and_npu MACHINE.yaml\n", stderr);
    return 2;
  }
  kb::set_time_resolution();
  kb::DeviceConfig config;
  config.topology = arguments[1];
  kb::Device npu("npu", config);
  HostMemory memory("memory", 1 << 20);
  Cpu cpu("cpu", memory);
  sc_core::sc_signal<bool> irq("irq_wire");
  cpu.registers.bind(npu.registers());
  cpu.window.bind(npu.target("cpu0"));
  npu.host_memory.bind(memory.socket);
  npu.irq.bind(irq);
  cpu.irq.bind(irq);
  sc_core::sc_start();
  const kb::DeviceReport report = npu.finish();
  std::fputs(report.text.c_str(), stdout);
  return report.ok && cpu.right ? 0 : 1;
}
