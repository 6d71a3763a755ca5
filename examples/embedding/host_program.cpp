// A C++ program on the host side of a device: tensors, a launch of a built-in kernel, and an error that it can catch.
//   ./host_program machine.yaml
#include <kernbench/device.h>
#include <kernbench/platform/base/error.h>
#include <kernbench/sw/runtime/runtime.h>

#include <cstdio>
#include <string>

int sc_main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: host_program MACHINE.yaml\n", stderr);
    return 2;
  }
  kb::set_time_resolution();
  kb::DeviceConfig config;
  config.topology = arguments[1];
  kb::Device npu("npu", config);
  bool right = false;
  std::string refused;
  npu.run([&](kb::sw::Runtime& runtime) {
    const kb::sw::Tensor a = runtime.full({32, 32}, 2.0, kb::Dtype::f16);
    const kb::sw::Tensor b = runtime.full({32, 32}, 0.5, kb::Dtype::f16);
    const kb::sw::Tensor c = runtime.empty({32, 32}, kb::Dtype::f16);
    runtime.wait(runtime.launch("gemm", {{"a", a}, {"b", b}, {"c", c}, {"m", 32}, {"k", 32}, {"n", 32}}));
    right = true;
    for (const double value : c.to_host().to_doubles()) right = right && value == 32.0;
    try {
      runtime.launch("gemmm", {});
    } catch (const kb::Error& error) {
      refused = error.what();
    }
  });
  sc_core::sc_start();
  const kb::DeviceReport report = npu.finish();
  std::printf("%sthe product is %s\nrefused: %s\n", report.text.c_str(), right ? "right" : "wrong", refused.c_str());
  return report.ok && right && refused.find("did you mean 'gemm'") != std::string::npos ? 0 : 1;
}
