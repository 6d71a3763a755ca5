#include <gmock/gmock.h>

#include "platform/contract/i_pe.h"
#include "platform/contract/kernel_arguments.h"
#include "sw/plugin/plugin.h"
#include "sw/workloads/workload.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

KERNBENCH_PLUGIN(registrar) {
  registrar.add_kernel(
      {"from-plugin", "a kernel", {}, [](kb::contract::IPe&, const std::vector<kb::contract::KernelArg>&) {}});
  registrar.add_workload({"plugin-workload", "a workload", {}, [](kb::sw::Runtime&, const kb::sw::Params&) {
                            return kb::sw::WorkloadResult{};
                          }});
}

namespace kb::sw {
namespace {

using testing::any_kernel;
using ::testing::ElementsAre;
using testing::error_of;
using testing::FakeHost;
using ::testing::HasSubstr;

Workload workload(
    const std::string& name, std::function<void(Runtime&)> body = [](Runtime& rt) { rt.launch("k", {}); }) {
  return {name, "does something", {}, [body = std::move(body)](Runtime& rt, const Params&) {
            body(rt);
            return WorkloadResult{};
          }};
}

TEST(WorkloadRegistry, NamesFollowTheRule) {  // H-67
  WorkloadRegistry registry;
  for (const char* good : {"a", "gemm", "gemm-single-pe", "b2-3x"}) registry.add(workload(good));
  for (const char* bad : {"", "Gemm", "2gemm", "-a", "a-", "a--b", "a_b", "a b"}) {
    EXPECT_THAT(error_of([&] { registry.add(workload(bad)); }, "SCHEMA_ERROR"), HasSubstr("the name must be")) << bad;
  }
  EXPECT_EQ(error_of([&] { registry.add(workload("gemm")); }, "SCHEMA_ERROR"),
            "workload 'gemm': the name is taken; choose another one");
  Workload blank = workload("blank");
  blank.description = " \t";
  EXPECT_THAT(error_of([&] { registry.add(blank); }, "SCHEMA_ERROR"), HasSubstr("description is empty"));
  Workload idle = workload("idle");
  idle.run = nullptr;
  EXPECT_THAT(error_of([&] { registry.add(idle); }, "SCHEMA_ERROR"), HasSubstr("no entry function"));
}

TEST(WorkloadRegistry, ParametersAreChecked) {
  WorkloadRegistry registry;
  Workload b = workload("b");
  b.parameters = {Parameter::integer("m", 0, "rows")};
  EXPECT_THAT(error_of([&] { registry.add(b); }, "SCHEMA_ERROR"), HasSubstr("must be at least 1, not 0"));
  b.parameters = {Parameter::integer("m", 1, "rows"), Parameter::integer("m", 1, "rows")};
  EXPECT_THAT(error_of([&] { registry.add(b); }, "SCHEMA_ERROR"), HasSubstr("declared twice"));
  b.parameters = {Parameter::integer("a.b", 1, "rows")};  // a dot would make it a topology key
  EXPECT_THAT(error_of([&] { registry.add(b); }, "SCHEMA_ERROR"), HasSubstr("not a parameter name"));
}

TEST(WorkloadRegistry, ResolvesIndicesAndNames) {  // H-71, H-72
  WorkloadRegistry registry;
  for (const char* name : {"zeta", "alpha", "mid"}) registry.add(workload(name));
  EXPECT_THAT(registry.names(), ElementsAre("alpha", "mid", "zeta"));
  EXPECT_EQ(registry.resolve("1").name, "alpha");
  EXPECT_EQ(registry.resolve("3").name, "zeta");
  EXPECT_EQ(registry.resolve("mid").name, "mid");
  EXPECT_EQ(error_of([&] { registry.resolve("0"); }, "CONFIGURATION_ERROR"),
            "there is no workload 0; they are numbered 1 to 3");
  error_of([&] { registry.resolve("4"); }, "CONFIGURATION_ERROR");
  error_of([&] { registry.resolve("99999999999999999999999"); }, "CONFIGURATION_ERROR");
  EXPECT_EQ(error_of([&] { registry.resolve("alhpa"); }, "CONFIGURATION_ERROR"),
            "unknown workload 'alhpa' (did you mean 'alpha'?)");
  EXPECT_THAT(error_of([&] { registry.resolve("  "); }, "CONFIGURATION_ERROR"), HasSubstr("no workload was named"));
}

TEST(WorkloadRegistry, BuiltinWorkloads) {  // H-68
  EXPECT_THAT(
      builtin_registry().names(),
      ElementsAre("attention", "ccl-all-gather", "ccl-all-to-all", "ccl-allreduce", "ccl-allreduce-ranks",
                  "ccl-broadcast", "ccl-gather", "ccl-reduce", "ccl-reduce-scatter", "ccl-scatter", "ccl-send-recv",
                  "copy", "elementwise", "flash-attention", "gemm-multi-pe", "gemm-single-pe", "gpt3-qkv",
                  "grid-linear", "layernorm", "map-tensors", "math-composite", "matmul-composite",
                  "matmul-composite-multi-pe", "mlp", "model-linear", "noop", "paged-attention", "pe-to-pe", "qkv-gemm",
                  "qkv-gemm-multi-pe", "redistribute", "rms-norm-matmul", "rotary-embedding", "softmax", "stream",
                  "topk-routing", "tp-layer", "tp-mlp", "tp-transformer-block", "va-offset-verify", "vector-add"));
}

TEST(RunWorkload, DrainsWhatTheWorkloadLeft) {  // H-76
  FakeHost host;
  Runtime rt(host, &any_kernel);
  run_workload(rt, workload("b"), {});
  EXPECT_EQ(host.now(), host.times.launch);
}

TEST(RunWorkload, NoRequestsIsAnError) {  // H-70
  FakeHost host;
  Runtime rt(host, &any_kernel);
  EXPECT_THAT(error_of(
                  [&] {
                    run_workload(rt, workload("lazy", [](Runtime& r) { r.empty({1, 1}, Dtype::f16); }), {});
                  },
                  "NO_REQUESTS"),
              HasSubstr("workload 'lazy' ended without having submitted a request"));
}

TEST(RunWorkload, ErrorsKeepTheirFamily) {
  FakeHost host;
  Runtime rt(host, &any_kernel);
  EXPECT_EQ(error_of([&] { run_workload(rt, workload("b", [](Runtime&) { throw std::out_of_range("index"); }), {}); },
                     "BENCH_ERROR"),
            "workload 'b': index");
  EXPECT_EQ(
      error_of([&] { run_workload(rt, workload("b", [](Runtime&) { throw std::bad_alloc(); }), {}); }, "OUT_OF_MEMORY"),
      "workload 'b': its data does not fit the memory of this computer; choose smaller parameters");
  EXPECT_EQ(error_of([&] { run_workload(rt, workload("b", [](Runtime&) { throw Error::configuration("x"); }), {}); },
                     "CONFIGURATION_ERROR"),
            "x");
}

TEST(Plugin, HandsOverKernelsAndWorkloads) {
  EXPECT_EQ(std::string(kernbench_plugin_abi()), plugin_abi());
  EXPECT_THAT(plugin_abi(), ::testing::StartsWith(std::string("kernbench ") + kVersion + ", plug-in ABI 26"));
  PluginRegistrar registrar;
  kernbench_plugin(registrar);
  ASSERT_EQ(registrar.kernels().size(), 1u);
  EXPECT_EQ(registrar.kernels()[0].name, "from-plugin");
  ASSERT_EQ(registrar.workloads().size(), 1u);
  EXPECT_EQ(registrar.workloads()[0].name, "plugin-workload");
}

}  // namespace
}  // namespace kb::sw
