#include <stdexcept>

#include "kernels/catalog.h"
#include "kernels/tl/tl.h"
#include "platform/base/error.h"
#include "sw/runtime/runtime.h"
#include "tests/machine/device/misuses/misuse.h"

namespace kb::test {

std::vector<Misuse> misuses_of_programs() {
  std::vector<Misuse> all;
  const auto add = [&](const char* name, Misuse::Ends ends, const char* says, Device::HostProgram program,
                       double until_ns = 10'000) {
    all.push_back({name, ends, says,
                   [program = std::move(program)](Scene& scene) {
                     scene.config.no_progress_ns = 10'000;
                     scene.program = program;
                   },
                   until_ns});
  };
  const auto kernel = [&](const char* name, const char* says, std::function<void(tl::Context&)> body,
                          double until_ns = 10'000) {
    add(
        name, Misuse::Ends::simulation, says, [](sw::Runtime& runtime) { runtime.wait(runtime.launch("wrong", {})); },
        until_ns);
    all.back().prepare = [prepare = all.back().prepare, body = std::move(body)](Scene& scene) {
      prepare(scene);
      static kernels::KernelCatalog kernels;
      kernels.add(tl::make_kernel("wrong", "does something wrong", {}, [body](tl::Context& tl) { body(tl); }));
      scene.config.kernels = &kernels;
    };
  };
  const Misuse::Ends simulation = Misuse::Ends::simulation;
  add("Throws", simulation, "no such file", [](sw::Runtime&) { throw std::runtime_error("no such file"); });
  add("ThrowsWhatIsNoException", simulation, "threw an object that is not a std::exception",
      [](sw::Runtime&) { throw 7; });
  add("ThrowsAnErrorOfItsOwn", simulation, "the weights do not fit",
      [](sw::Runtime&) { throw Error::program("WEIGHTS", "the weights do not fit"); });
  add("UnknownKernel", simulation, "did you mean 'gemm'?", [](sw::Runtime& runtime) { runtime.launch("gemmx", {}); });
  add("WrongArguments", simulation, "argument 'src' must be a tensor", [](sw::Runtime& runtime) {
    runtime.launch("copy", {{"src", 1}});
  });
  add("TooLarge", simulation, "that HBM slice has 6 GiB free", [](sw::Runtime& runtime) {
    runtime.zeros({1 << 20, 1 << 20}, Dtype::f32);
  });
  add("WaitsForSomethingOutside", Misuse::Ends::finish, "something outside of the machine", [](sw::Runtime&) {
    const static sc_core::sc_event never;
    sc_core::wait(never);
  });
  add("IsAtWorkAtTheEnd", Misuse::Ends::finish, "work outstanding", [](sw::Runtime&) { sc_core::wait(ns(1e6)); });
  all.back().prepare = [prepare = all.back().prepare](Scene& scene) {
    prepare(scene);
    scene.config.no_progress_ns = 0;
  };
  add("ReadsWhatNobodyWrote", simulation, "that were never written", [](sw::Runtime& runtime) {
    runtime.empty({16, 16}, Dtype::f32).to_host();
  });
  all.back().prepare = [prepare = all.back().prepare](Scene& scene) {
    prepare(scene);
    scene.config.strict = true;
  };
  kernel("KernelThrows", "kernel wrong threw an exception: row 7 of 4",
         [](tl::Context&) { throw std::out_of_range("row 7 of 4"); });
  kernel("KernelRefuses", "tile must be at least 1",
         [](tl::Context& tl) { tl.require(false, "tile must be at least 1"); });
  kernel("KernelBreaksAnInvariant", "in kernel wrong: an invariant does not hold",
         [](tl::Context&) { throw Error::model("an invariant does not hold"); });
  kernel("KernelReceivesWithoutAQueue", "has no queue in direction 'E'", [](tl::Context& tl) { tl.recv("E", {16}); });
  return all;
}

}  // namespace kb::test
