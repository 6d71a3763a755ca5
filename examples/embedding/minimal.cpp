// kernbench in a simulation of your own: an initiator writes to the machine's HBM and reads it back.
//   ./minimal machine.yaml
#include <kernbench/device.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdio>

struct Cpu : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Cpu> socket{"socket"};

  explicit Cpu(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(Cpu);
    SC_THREAD(run);
  }

  void access(tlm::tlm_command command, std::uint64_t address, std::uint64_t& word) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(sizeof word);
    payload.set_streaming_width(sizeof word);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    std::printf("%-5s at 0x%llx: %s, now %s\n", command == tlm::TLM_WRITE_COMMAND ? "write" : "read",
                static_cast<unsigned long long>(address), payload.get_response_string().c_str(),
                sc_core::sc_time_stamp().to_string().c_str());
  }

  void run() {
    std::uint64_t written = 0x1234, read = 0;
    access(tlm::TLM_WRITE_COMMAND, 0x1000, written);
    access(tlm::TLM_READ_COMMAND, 0x1000, read);
    if (read != written) sc_core::sc_stop();
  }
};

int sc_main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: minimal MACHINE.yaml\n", stderr);
    return 2;
  }
  kb::set_time_resolution();
  kb::DeviceConfig config;
  config.topology = arguments[1];
  config.targets = {{"cpu0", "sip0.io0.pcie_ep", {{0x0, 0x2000000000, 1 << 20}}}};  // bus address 0: HBM of PE 0
  kb::Device npu("npu", config);
  Cpu cpu("cpu");
  cpu.socket.bind(npu.target("cpu0"));
  sc_core::sc_start();
  const kb::DeviceReport report = npu.finish();
  std::fputs(report.text.c_str(), stdout);
  return report.ok && sc_core::sc_get_status() == sc_core::SC_PAUSED ? 0 : 1;
}
