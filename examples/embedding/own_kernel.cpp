// A device with a kernel of your own, launched by a C++ program on its host side.
//   ./own_kernel machine.yaml [FOLDER]      then: kernbench report FOLDER
// Kernels and blocks of your own need the archives of the package: kernbench::device_static.
#include <kernbench/device.h>
#include <kernbench/kernels/catalog.h>
#include <kernbench/kernels/tl/tl.h>
#include <kernbench/sw/runtime/runtime.h>

#include <cstdio>

// y = a x + y: each PE has the elements of y that it owns.
static void axpy(kb::tl::Context& tl, kb::tl::Ptr x, kb::tl::Ptr y, double a) {
  const kb::tl::LocalShard mine = tl.shard(y);
  const kb::Shape shape{mine.elements};
  const auto sum = tl.load(x + mine.first, shape) * a + tl.load(y + mine.first, shape);
  tl.store(y + mine.first, sum);
}

int sc_main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: own_kernel MACHINE.yaml [RUN_FOLDER]\n", stderr);
    return 2;
  }
  kb::set_time_resolution();
  kb::kernels::KernelCatalog kernels;  // the built-in ones, and ours
  kernels.add(kb::tl::make_kernel("axpy", "y = a x + y", {"x", "y", "a"}, axpy));
  kb::DeviceConfig config;
  config.topology = arguments[1];
  config.kernels = &kernels;
  if (count > 2) config.result = arguments[2];  // where the kernel spends its time
  kb::Device npu("npu", config);
  bool right = false;
  npu.run([&right](kb::sw::Runtime& runtime) {
    const kb::sw::Tensor x = runtime.full({64, 32}, 2.0, kb::Dtype::f16);
    const kb::sw::Tensor y = runtime.full({64, 32}, 1.0, kb::Dtype::f16);
    runtime.wait(runtime.launch("axpy", {{"x", x}, {"y", y}, {"a", 3.0}}));
    right = true;
    for (const double value : y.to_host().to_doubles()) right = right && value == 7.0;
  });
  sc_core::sc_start();
  if (!right) npu.report_error("WRONG_RESULT", "y is not a x + y");
  const kb::DeviceReport report = npu.finish();
  std::printf("%sthe result is %s\n", report.text.c_str(), right ? "right" : "wrong");
  return report.ok ? 0 : 1;
}
