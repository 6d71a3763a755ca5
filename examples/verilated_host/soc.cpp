// A SystemC model that Verilator has made stands in one simulation with a device; both write waveforms.
//   ./soc machine.yaml before|after    the model is made before or after the device
// Two files: soc.fst of the model, npu.fst of the device; `twinwave` of GTKWave shows them side by side.
#include <Vtimer.h>
#include <kernbench/device.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <verilated_fst_sc.h>

#include <cstdio>
#include <memory>
#include <string>

// Writes and reads a word of the device's memory at each interrupt of the timer.
struct Cpu : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Cpu> socket{"socket"};
  sc_core::sc_in<bool> irq{"irq"};
  int right = 0;

  explicit Cpu(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(Cpu);
    SC_THREAD(run);
  }
  bool access(bool write, std::uint64_t& word) {
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(0x2000000000);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(sizeof word);
    payload.set_streaming_width(sizeof word);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    return payload.is_response_ok();
  }
  void run() {
    for (std::uint64_t round = 1;; ++round) {
      wait(irq.posedge_event());
      std::uint64_t written = round, read = 0;
      if (access(true, written) && access(false, read) && read == round) ++right;
    }
  }
};

int sc_main(int argc, char** argv) {
  if (argc < 3) return 2;
  kb::set_time_resolution();  // the model is made with --timescale-override 1fs/1fs
  Verilated::traceEverOn(true);
  sc_core::sc_clock clk("clk", sc_core::sc_time(1, sc_core::SC_NS));
  sc_core::sc_signal<bool> rst("rst"), irq("irq");
  sc_core::sc_signal<std::uint32_t> period("period"), count("count");
  std::unique_ptr<Vtimer> timer;
  const auto make_timer = [&] {
    timer = std::make_unique<Vtimer>("timer");
    timer->clk(clk);
    timer->rst(rst);
    timer->period(period);
    timer->irq(irq);
    timer->count(count);
  };
  if (std::string(argv[2]) == "before") make_timer();
  kb::DeviceConfig config;
  config.topology = argv[1];
  config.wave = "npu.fst";
  kb::Device npu("npu", config);
  if (timer == nullptr) make_timer();
  Cpu cpu("cpu");
  cpu.socket.bind(npu.target("cpu0"));
  cpu.irq(irq);
  period = 200;
  rst = true;

  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  VerilatedFstSc trace;
  timer->trace(&trace, 99);
  trace.open("soc.fst");
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_NS));
  rst = false;
  sc_core::sc_start(sc_core::sc_time(985, sc_core::SC_NS));
  trace.close();
  const kb::DeviceReport report = npu.finish();
  std::printf("%s%d of 4 rounds are right\n", report.text.c_str(), cpu.right);
  return report.ok && cpu.right == 4 ? 0 : 1;
}
