#include <gmock/gmock.h>

#include "platform/contract/completion.h"
#include "platform/contract/failure_policy.h"
#include "platform/contract/kernel.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/contract/kernel_launch.h"
#include "sw/runtime/runtime.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using testing::any_kernel;
using ::testing::ElementsAre;
using testing::error_of;
using testing::FakeHost;
using ::testing::HasSubstr;

DPPolicy rows(int cubes, int pes) {
  DPPolicy p;
  p.cube = p.pe = Split::row_wise;
  p.num_cubes = cubes;
  p.num_pes = pes;
  return p;
}

class Catalog final : public contract::IKernelCatalog {
 public:
  const contract::Kernel* find(const std::string& name) const override { return name == "scale" ? &kernel_ : nullptr; }
  std::vector<std::string> names() const override { return {"scale"}; }

 private:
  contract::Kernel kernel_{"scale",
                           "",
                           {{"x", contract::ParameterKind::tensor},
                            {"factor", contract::ParameterKind::real},
                            {"n", contract::ParameterKind::integer, true}},
                           nullptr};
};

class LaunchTest : public ::testing::Test {
 protected:
  const contract::KernelLaunch& last() const { return *host.launches.back(); }
  FakeHost host;
  std::vector<std::string> warnings;
  RuntimeOptions options() {
    RuntimeOptions o;
    o.warn = [this](const std::string& text) { warnings.push_back(text); };
    return o;
  }
  Runtime rt{host, &any_kernel, options()};
};

TEST_F(LaunchTest, DefaultCubesAreTheShardOwners) {
  const Tensor a = rt.empty({8, 4}, Dtype::f16, rows(1, 1));
  const Tensor b = rt.empty({8, 4}, Dtype::f16, rows(2, 2));
  rt.launch("k", {{"a", a}, {"x", 0.5}, {"b", b}, {"n", 3}});
  EXPECT_THAT(last().cubes, ElementsAre(CubeId(0), CubeId(1)));
  EXPECT_THAT(last().pes, ElementsAre(PeId(0), PeId(1)));  // all of the cube, owners or not (H-35)
  EXPECT_EQ(last().sip, SipId(0));
  EXPECT_EQ(std::get<std::int64_t>(last().args[2]), 3);  // as written (K-29)
  EXPECT_EQ(std::get<double>(last().args[3]), 0.5);
  EXPECT_EQ(std::get<1>(last().args[0])->id, a.layout().id);
}

TEST_F(LaunchTest, DefaultCubesAreAllWithoutTensors) {
  rt.launch("k", {{"n", 1}});
  EXPECT_EQ(last().cubes.size(), 4u);
  EXPECT_EQ(host.launches.size(), 1u);  // on the current device
}

TEST_F(LaunchTest, SelectorsAreSortedAndChecked) {
  LaunchOptions o;
  o.cubes = {3, 1, 3};
  o.pes = {1};
  o.failure_policy = contract::FailurePolicy::collect_all;
  o.label = "here";
  rt.launch("k", {}, o);
  EXPECT_THAT(last().cubes, ElementsAre(CubeId(1), CubeId(3)));
  EXPECT_THAT(last().pes, ElementsAre(PeId(1)));
  EXPECT_EQ(last().failure_policy, contract::FailurePolicy::collect_all);
  EXPECT_EQ(last().label, "here");

  o.cubes = std::vector<int>{};
  EXPECT_EQ(error_of([&] { rt.launch("k", {}, o); }, "SCHEMA_ERROR"),
            "launch of kernel 'k': the set of cubes is empty; name at least one or leave it out for the default");
  o.cubes = {4};
  EXPECT_EQ(error_of([&] { rt.launch("k", {}, o); }, "SCHEMA_ERROR"),
            "launch of kernel 'k': cubes 4 does not exist; there are 4 (0 to 3)");
  o.cubes = {0};
  o.pes = std::vector<int>{};
  EXPECT_THAT(error_of([&] { rt.launch("k", {}, o); }, "SCHEMA_ERROR"), HasSubstr("the set of PEs is empty"));
  EXPECT_EQ(host.launches.size(), 1u);
}

TEST_F(LaunchTest, OneRequestPerSipWithACommonStamp) {  // H-31, H-49, H-80
  host.stamp = 777_fs;
  const Tensor a = rt.empty({4, 4}, Dtype::f16, rows(1, 2));
  rt.set_device(1);
  const Tensor b = rt.empty({4, 4}, Dtype::f16, rows(2, 2));
  rt.launch("k", {{"a", b}, {"b", a}});
  ASSERT_EQ(host.launches.size(), 2u);
  EXPECT_EQ(host.launches[0]->sip, SipId(0));
  EXPECT_THAT(host.launches[0]->cubes, ElementsAre(CubeId(0)));
  EXPECT_EQ(host.launches[1]->sip, SipId(1));
  EXPECT_THAT(host.launches[1]->cubes, ElementsAre(CubeId(0), CubeId(1)));
  EXPECT_EQ(host.launches[0]->target_start, 777_fs);
  EXPECT_EQ(host.launches[1]->target_start, 777_fs);

  rt.launch("k", {{"a", a}});
  EXPECT_EQ(last().target_start, std::nullopt);  // one SIP: IO_CPU stamps (H-47)

  LaunchOptions elsewhere;
  elsewhere.sips = {1};
  EXPECT_THAT(error_of(
                  [&] {
                    rt.launch("k", {{"a", a}}, elsewhere);
                  },
                  "SCHEMA_ERROR"),
              HasSubstr("set LaunchOptions::cubes"));
  elsewhere.cubes = {0};
  rt.launch("k", {{"a", a}}, elsewhere);  // a tensor of another SIP as source
  EXPECT_EQ(last().sip, SipId(1));
}

TEST_F(LaunchTest, LaunchWaitsForWritesToItsTensorsOnly) {
  const Tensor a = rt.zeros({4, 4}, Dtype::f16, rows(1, 1));
  host.times.write = 500_ns;
  const Tensor b = rt.zeros({4, 4}, Dtype::f16, rows(1, 1));
  rt.launch("k", {{"a", a}});
  EXPECT_EQ(host.now(), 10_ns);
  rt.launch("k", {{"a", b}});
  EXPECT_EQ(host.now(), 500_ns);
}

TEST_F(LaunchTest, WaitIsIdempotentAndTakesNoTimeWhenDone) {  // K-32, H-56
  const LaunchHandle launch = rt.launch("k", {});
  EXPECT_EQ(host.now(), 0_fs);
  const LaunchMetrics m = rt.wait(launch);
  EXPECT_EQ(host.now(), 100_ns);
  EXPECT_EQ(m.total(), 100_ns);
  EXPECT_EQ(m.exec_max, 50_ns);  // H-38
  EXPECT_EQ(m.start, 50_ns);
  EXPECT_EQ(m.pes, 8u);
  rt.wait(launch);
  rt.wait_all();
  EXPECT_EQ(host.now(), 100_ns);
  error_of([&] { rt.wait({5}); }, "SCHEMA_ERROR");
}

TEST_F(LaunchTest, CriticalPathIsTheSlowestPeOfAllParts) {  // H-37, H-38
  host.kernels["k"] = [](FakeHost&, const contract::KernelLaunch& launch, contract::Completion& done) {
    for (contract::PeResult& pe : done.pes) {
      pe.exec = (10 * (launch.sip.value + 1) + pe.pe.cube.value) * 1_fs;
      pe.dma = pe.exec / 2;
      pe.compute = 3_fs;
    }
  };
  LaunchOptions both;
  both.sips = {0, 1};
  const LaunchMetrics m = rt.wait(rt.launch("k", {}, both));
  EXPECT_EQ(m.exec_min, 10_fs);
  EXPECT_EQ(m.exec_max, 23_fs);
  EXPECT_EQ(m.dma_max, 11_fs);
  EXPECT_EQ(m.compute_max, 3_fs);
  EXPECT_EQ(m.pes, 16u);
}

TEST_F(LaunchTest, LatePesAreCountedAndWarnedAbout) {  // H-50
  host.kernels["k"] = [](FakeHost&, const contract::KernelLaunch&, contract::Completion& done) {
    done.pes[1].late = 2_ns;
    done.pes[5].late = 63_ns;
  };
  rt.launch("k", {});
  rt.wait_all();
  rt.wait_all();
  EXPECT_EQ(rt.late_pes(), 2u);
  EXPECT_THAT(warnings,
              ElementsAre("launch #1 of kernel 'k': 2 of 8 PEs started up to 63 ns after the common start stamp"));
}

TEST_F(LaunchTest, FailuresReachTheHostOnce) {  // H-12, H-41
  host.fail = [](const std::string& what) { return what == "launch bad" ? "KERNEL_ERROR" : ""; };
  const LaunchHandle first = rt.launch("bad", {});
  EXPECT_EQ(error_of([&] { rt.wait(first); }, "KERNEL_ERROR"), "launch #1 of kernel 'bad': it broke at sip0.cube0.pe0");
  rt.wait_all();  // reported already
  rt.launch("bad", {});
  EXPECT_EQ(error_of([&] { rt.wait_all(); }, "KERNEL_ERROR"),
            "launch #2 of kernel 'bad' on sip0: it broke at sip0.cube0.pe0");
  rt.wait_all();
  const LaunchHandle looked_at = rt.launch("bad", {});
  EXPECT_FALSE(rt.wait_result(looked_at));
  EXPECT_EQ(rt.completions(looked_at)[0].error_code, "KERNEL_ERROR");
  rt.wait_all();
}

TEST_F(LaunchTest, FailedTransferNamesTensorAndPlace) {
  host.fail = [](const std::string& what) { return what == "write" ? "ADDRESS_ERROR" : ""; };
  const Tensor t = rt.zeros({2, 2}, Dtype::f16, rows(1, 2), "w");
  EXPECT_EQ(error_of(
                [&] {
                  rt.launch("k", {{"a", t}});
                },
                "ADDRESS_ERROR"),
            "host write of tensor 'w' at sip0.cube0.pe0: it broke at sip0.cube0.pe0");
  EXPECT_TRUE(host.launches.empty());
}

TEST_F(LaunchTest, ArgumentsAreBoundToTheParametersByName) {  // H-54
  const Catalog catalog;
  Runtime checked(host, &catalog);
  const Tensor t = checked.zeros({2, 2}, Dtype::f16);
  const auto refused = [&](const std::string& kernel, const Args& args, const char* code = "SCHEMA_ERROR") {
    return error_of([&] { checked.launch(kernel, args); }, code);
  };
  EXPECT_EQ(refused("scael", {{"x", t}, {"factor", 1.0}}, "KERNEL_ERROR"),
            "unknown kernel 'scael' (did you mean 'scale'?)");
  EXPECT_EQ(refused("scale", {{"x", t}, {"facter", 1.0}}),
            "kernel scale: there is no argument 'facter'; did you mean 'factor'?");
  EXPECT_EQ(refused("scale", {{"x", t}}),
            "kernel scale: argument 'factor' is missing; it takes x: tensor, factor: float, n: int (optional)");
  EXPECT_EQ(refused("scale", {{"x", t}, {"x", t}}), "kernel scale: argument 'x' is given twice; 'factor' is missing");
  EXPECT_EQ(refused("scale", {{"x", t}, {"factor", 1.0}, {"n", 2.5}}),
            "kernel scale: argument 'n' must be an int; the number 2.5 was given");
  EXPECT_EQ(refused("scale", {{"x", 1}, {"factor", 1.0}}),
            "kernel scale: argument 'x' must be a tensor; the integer 1 was given");
  EXPECT_TRUE(host.launches.empty());
  checked.launch("scale", {{"factor", 2}, {"x", t}});  // in any order; a whole number is a float, too
  ASSERT_EQ(last().args.size(), 3u);
  EXPECT_EQ(std::get<1>(last().args[0])->id, t.layout().id);
  EXPECT_EQ(std::get<double>(last().args[1]), 2.0);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(last().args[2]));
  checked.launch("scale", {{"x", t}, {"factor", 2.0}, {"n", 4}});
  EXPECT_EQ(std::get<std::int64_t>(last().args[2]), 4);
  Runtime without(host, nullptr);
  EXPECT_EQ(error_of([&] { without.launch("scale", {}); }, "KERNEL_ERROR"),
            "unknown kernel 'scale' (no kernel is registered)");
}

TEST_F(LaunchTest, StagingTensorsCannotBeArguments) {
  const Tensor staged = rt.from_host(HostArray({2, 2}, Dtype::f16), "s");
  EXPECT_THAT(error_of([&] { rt.launch("k", {{"a", staged}}); }, "TENSOR_ERROR"), HasSubstr("'s' is a staging tensor"));
}

TEST_F(LaunchTest, SpecIsReadOnlyMachineInformation) {
  EXPECT_EQ(rt.spec().cubes_per_sip, 4);
  EXPECT_EQ(&rt.spec(), &rt.machine());
  EXPECT_EQ(rt.requests_submitted(), 0u);
}

// H-49a
TEST_F(LaunchTest, AQueuedLaunchMeetsThePesOfTheLaunchesThatHaveNotEnded) {
  const auto on = [](std::vector<int> cubes, std::vector<int> pes, bool queued) {
    LaunchOptions o;
    o.sips = {0};
    o.cubes = std::move(cubes);
    o.pes = std::move(pes);
    o.queued = queued;
    return o;
  };
  rt.launch("k", {}, on({2}, {0, 1}, true));
  EXPECT_FALSE(last().start_barrier) << "nothing is under way";
  rt.launch("k", {}, on({0}, {0}, false));
  EXPECT_FALSE(last().start_barrier) << "not queued";
  rt.launch("k", {}, on({1}, {0}, true));
  ASSERT_TRUE(last().start_barrier);
  EXPECT_THAT(last().start_barrier->cubes, ElementsAre(CubeId(0), CubeId(1), CubeId(2)));
  EXPECT_THAT(last().start_barrier->pes, ElementsAre(PeId(0), PeId(1)));
  EXPECT_TRUE(last().runs_on(CubeId(1), PeId(0)));
  EXPECT_FALSE(last().runs_on(CubeId(1), PeId(1)));
  rt.launch("k", {}, on({3}, {0}, true));  // waits for the one before, which waits for the others
  EXPECT_THAT(last().start_barrier->cubes, ElementsAre(CubeId(1), CubeId(3)));
  EXPECT_THAT(last().start_barrier->pes, ElementsAre(PeId(0)));
  LaunchOptions other = on({0}, {0}, true);
  other.sips = {1};
  rt.launch("k", {}, other);
  EXPECT_FALSE(last().start_barrier) << "another SIP";
  rt.wait_all();
  rt.launch("k", {}, on({3}, {0}, true));
  EXPECT_FALSE(last().start_barrier) << "all have ended";
}

}  // namespace
}  // namespace kb::sw
