// A memory model of your own behind one HBM controller of the machine, under a kernel.
//   ./foreign_dram machine.yaml
#include <kernbench/device.h>
#include <kernbench/sw/runtime/runtime.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "at_memory.h"

int sc_main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: foreign_dram MACHINE.yaml\n", stderr);
    return 2;
  }
  kb::set_time_resolution();
  std::ifstream file(arguments[1]);
  kb::DeviceConfig config;
  config.topology_text =
      std::string(std::istreambuf_iterator<char>(file), {}) +
      "\nreplace:\n"
      "  - {nodes: sip0.cube0.hbm_ctrl.pe0, impl: tlm.memory, attrs: {socket: dram, access_bytes: 64}}\n";
  kb::Device npu("npu", config);
  AtMemory dram("dram", sc_core::sc_time(1, sc_core::SC_NS), sc_core::sc_time(40, sc_core::SC_NS));
  npu.memory("dram").bind(dram.socket);

  npu.run([](kb::sw::Runtime& runtime) {
    const kb::sw::Tensor a = runtime.full({256, 256}, 2.0, kb::Dtype::f16);
    const kb::sw::Tensor b = runtime.full({256, 256}, 0.5, kb::Dtype::f16);
    const kb::sw::Tensor c = runtime.empty({256, 256}, kb::Dtype::f16);
    const auto launch = runtime.launch("gemm", {{"a", a}, {"b", b}, {"c", c}, {"m", 256}, {"k", 256}, {"n", 256}});
    runtime.wait(launch);
    std::printf("the kernel took %.1f ns\n", kb::fs_to_ns(runtime.metrics(launch).exec_max));
  });
  sc_core::sc_start();

  const kb::DeviceReport report = npu.finish();
  std::fputs(report.text.c_str(), stdout);
  return report.ok && npu.idle() ? 0 : 1;
}
