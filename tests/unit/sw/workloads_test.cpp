#include <gmock/gmock.h>

#include "kernels/catalog.h"
#include "platform/contract/completion.h"
#include "platform/contract/data_mode.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/tensor_layout.h"
#include "platform/data/element.h"
#include "platform/ops/op_types.h"
#include "sw/workloads/support.h"
#include "sw/workloads/workload.h"
#include "tests/unit/sw/expect_error.h"
#include "tests/unit/sw/fake_host.h"

namespace kb::sw {
namespace {

using contract::KernelLaunch;
using contract::TensorLayout;
using testing::error_of;
using testing::FakeHost;

// Tensor contents in shard order through the fake machine's memory; the kernels below run once per launch.
const TensorLayout& tensor(const KernelLaunch& launch, std::size_t i) {
  return *std::get<std::shared_ptr<const TensorLayout>>(launch.args[i]);
}

std::vector<double> load(FakeHost& host, const TensorLayout& t) {
  std::vector<std::byte> bytes(t.nbytes);
  for (const contract::Shard& shard : t.shards) {
    const std::vector<std::byte> part = host.peek(shard.pa, shard.nbytes);
    std::copy(part.begin(), part.end(), bytes.begin() + static_cast<std::ptrdiff_t>(shard.offset_bytes));
  }
  return data::to_doubles(t.dtype, bytes);
}

void store(FakeHost& host, const TensorLayout& t, const std::vector<double>& values) {
  std::vector<std::byte> bytes;
  if (is_float(t.dtype)) {
    bytes = data::from_doubles(t.dtype, values);
  } else {  // keeps the low bits of what does not fit
    bytes = data::from_integers(t.dtype, {values.begin(), values.end()});
  }
  for (const contract::Shard& shard : t.shards) {
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(shard.offset_bytes);
    host.poke(shard.pa, {from, from + static_cast<std::ptrdiff_t>(shard.nbytes)});
  }
}

// All shards are split by rows, so shard order is row-major.
void fake_gemm(FakeHost& host, const KernelLaunch& launch, contract::Completion&) {
  const std::vector<double> a = load(host, tensor(launch, 0)), b = load(host, tensor(launch, 1));
  const auto m = static_cast<std::size_t>(std::get<std::int64_t>(launch.args[3]));
  const auto k = static_cast<std::size_t>(std::get<std::int64_t>(launch.args[4]));
  const auto n = static_cast<std::size_t>(std::get<std::int64_t>(launch.args[5]));
  std::vector<double> c(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t x = 0; x < k; ++x) c[i * n + j] += a[i * k + x] * b[x * n + j];
    }
  }
  store(host, tensor(launch, 2), c);
}

void fake_add(FakeHost& host, const KernelLaunch& launch, contract::Completion&) {
  std::vector<double> c = load(host, tensor(launch, 0));
  const std::vector<double> b = load(host, tensor(launch, 1));
  for (std::size_t i = 0; i < c.size(); ++i) c[i] += b[i];
  store(host, tensor(launch, 2), c);
}

void fake_copy(FakeHost& host, const KernelLaunch& launch, contract::Completion&) {
  const auto number = [&](std::size_t i) {  // offsets are optional
    const auto* const given = std::get_if<std::int64_t>(&launch.args[i]);
    return given == nullptr ? std::size_t{0} : static_cast<std::size_t>(*given);
  };
  const std::vector<double> from = load(host, tensor(launch, 0));
  std::vector<double> to = load(host, tensor(launch, 1));
  for (std::size_t i = 0; i < number(2); ++i) to[number(4) + i] = from[number(3) + i];
  store(host, tensor(launch, 1), to);
}

class WorkloadsTest : public ::testing::Test {
 protected:
  explicit WorkloadsTest(contract::DataMode mode = contract::DataMode::eager) : host(FakeHost::small_machine(), mode) {
    host.kernels["gemm"] = host.kernels["gemm_single"] = fake_gemm;
    host.kernels["vector_add"] = fake_add;
    host.kernels["copy"] = fake_copy;
  }
  WorkloadResult run(const std::string& name, const Assignments& set, RuntimeOptions options = {}) {
    Runtime rt(host, &catalog, std::move(options));  // names and arguments are those of the built-in kernels
    const Workload workload = builtin_registry().resolve(name);
    const auto nothing = [](const std::string&) { return std::optional<std::string>(); };
    WorkloadResult result = run_workload(rt, workload, resolve_params(name, workload.parameters, set, nothing));
    for (const Figure& f : result.figures) EXPECT_NE(f.meaning, "") << f.name << " is not explained in the report";
    return result;
  }
  static double figure(const WorkloadResult& result, const std::string& name) {
    for (const Figure& f : result.figures) {
      if (f.name == name) return f.value;
    }
    ADD_FAILURE() << "no figure " << name;
    return 0;
  }
  FakeHost host;
  kernels::KernelCatalog catalog;
};

TEST_F(WorkloadsTest, GemmSinglePe) {
  for (const std::string& dtype : arithmetic_dtype_names()) {
    const WorkloadResult r = run("gemm-single-pe", {{"m", "12"}, {"k", "7"}, {"n", "9"}, {"dtype", dtype}});
    ASSERT_EQ(r.verification.size(), 1u);
    EXPECT_TRUE(r.verification[0].ok) << dtype << data::render_table(r.verification);
    EXPECT_EQ(r.verification[0].shape, (Shape{12, 9}));
    const KernelLaunch& launch = *host.launches.back();
    EXPECT_EQ(launch.cubes.size() * launch.pes.size(), 1u);
    EXPECT_EQ(figure(r, "participating PEs"), 1);
    EXPECT_EQ(figure(r, "critical path"), 50);
    EXPECT_DOUBLE_EQ(figure(r, "achieved"), 2.0 * 12 * 7 * 9 / 50);
  }
}

TEST_F(WorkloadsTest, GemmSinglePeFindsAWrongElement) {
  host.kernels["gemm_single"] = [](FakeHost& h, const KernelLaunch& launch, contract::Completion& done) {
    fake_gemm(h, launch, done);
    std::vector<double> c = load(h, tensor(launch, 2));
    c[5] += 0.25;
    store(h, tensor(launch, 2), c);
  };
  const WorkloadResult r = run("gemm-single-pe", {{"m", "4"}, {"k", "4"}, {"n", "4"}});
  EXPECT_FALSE(r.verification[0].ok);
  EXPECT_EQ(r.verification[0].first_failure, 5u);
  EXPECT_EQ(r.verification[0].failures, 1u);
}

TEST_F(WorkloadsTest, GemmMultiPeUsesAllPesOfOneSip) {
  for (const char* copies : {"pe", "cube"}) {
    RuntimeOptions second;
    second.devices = {1};
    const WorkloadResult r =
        run("gemm-multi-pe", {{"rows_per_pe", "2"}, {"k", "8"}, {"n", "16"}, {"b_copies", copies}}, second);
    EXPECT_TRUE(data::all_ok(r.verification));
    const KernelLaunch& launch = *host.launches.back();
    EXPECT_EQ(launch.sip, SipId(1));
    EXPECT_EQ(figure(r, "participating PEs"), 8);
    EXPECT_EQ(tensor(launch, 0).shape, (Shape{16, 8}));
    EXPECT_EQ(tensor(launch, 0).shard_shape, (Shape{2, 8}));
    EXPECT_EQ(tensor(launch, 1).shard_shape, (std::string(copies) == "pe" ? Shape{8, 16} : Shape{4, 16}));
  }
}

TEST_F(WorkloadsTest, VectorAddRunsOneRankPerSip) {
  for (const char* ranks : {"lockstep", "independent"}) {
    const WorkloadResult r = run("vector-add", {{"elements_per_pe", "32"}, {"ranks", ranks}});
    EXPECT_EQ(r.verification.size(), 2u);
    EXPECT_TRUE(data::all_ok(r.verification));
    EXPECT_EQ(figure(r, "participating PEs"), 16);
    EXPECT_EQ(figure(r, "sip1 critical path"), 50);
  }
  EXPECT_EQ(host.launches[0]->sip, SipId(0));
  EXPECT_EQ(host.launches[1]->sip, SipId(1));
}

TEST_F(WorkloadsTest, VectorAddOfSmallIntegersWraps) {
  const WorkloadResult r = run("vector-add", {{"elements_per_pe", "8"}, {"dtype", "i8"}});
  EXPECT_TRUE(data::all_ok(r.verification));
}

TEST_F(WorkloadsTest, CopyGoesToAllPlaces) {
  for (const char* direction : {"push", "pull"}) {
    const WorkloadResult r = run("copy", {{"bytes", "256"}, {"direction", direction}});
    std::vector<std::string> places;
    for (const auto& row : r.verification) places.push_back(row.tensor);
    EXPECT_THAT(places, ::testing::ElementsAre("own slice", "neighbour PE", "farthest cube", "other SIP"));
    EXPECT_TRUE(data::all_ok(r.verification));
    EXPECT_DOUBLE_EQ(figure(r, "other SIP bandwidth"), 256.0 / 50);
  }
  for (const auto& launch : host.launches) {  // always on PE 0 of cube 0 of the first SIP
    EXPECT_EQ(launch->sip, SipId(0));
    EXPECT_EQ(launch->cubes.size() * launch->pes.size(), 1u);
  }
  error_of([&] { run("copy", {{"bytes", "6"}}); }, "CONFIGURATION_ERROR");
  RuntimeOptions first;
  first.devices = {0};
  EXPECT_EQ(run("copy", {{"bytes", "256"}}, first).verification.size(), 3u);
}

TEST_F(WorkloadsTest, NoopReportsEachLaunch) {
  const WorkloadResult r = run("noop", {{"launches", "3"}});
  EXPECT_EQ(host.launches.size(), 3u);
  EXPECT_EQ(figure(r, "launch 2 submission to start"), 50);
  EXPECT_EQ(figure(r, "participating PEs"), 8);
  EXPECT_TRUE(r.verification.empty());
}

TEST_F(WorkloadsTest, StreamKeepsItsData) {
  const WorkloadResult r = run("stream", {{"calls", "10"}, {"elements", "8"}, {"blocks", "4"}});
  EXPECT_TRUE(data::all_ok(r.verification));
  EXPECT_EQ(figure(r, "per call"), 5);
}

class WorkloadsWithoutDataTest : public WorkloadsTest {
 protected:
  WorkloadsWithoutDataTest() : WorkloadsTest(contract::DataMode::off) {}
};

TEST_F(WorkloadsWithoutDataTest, RunTheSameAndSayThatNothingWasVerified) {
  const std::map<std::string, Assignments> small{
      {"gemm-single-pe", {{"m", "4"}, {"k", "4"}, {"n", "4"}}},
      {"gemm-multi-pe", {{"k", "4"}, {"n", "4"}}},
      {"vector-add", {{"elements_per_pe", "8"}}},
      {"copy", {{"bytes", "64"}}},
      {"stream", {{"calls", "4"}}},
  };
  for (const auto& [name, set] : small) {
    SCOPED_TRACE(name);
    const TimeFs before = host.now();
    const WorkloadResult r = run(name, set);
    EXPECT_TRUE(r.verification.empty());
    EXPECT_THAT(r.notes, ::testing::Contains("data mode off: no data was computed, so nothing was verified"));
    const TimeFs off = host.now() - before;
    FakeHost with_data;
    with_data.kernels = host.kernels;
    Runtime rt(with_data, &catalog);
    const Workload workload = builtin_registry().resolve(name);
    run_workload(rt, workload, resolve_params(name, workload.parameters, set));
    EXPECT_EQ(with_data.now(), off);  // the data mode moves no time stamp
  }
}

TEST(VerifyValues, AllowsTheStatedRoundings) {
  FakeHost host;
  Runtime rt(host, nullptr);
  const Shape shape{1, 2};
  const auto row = [&](double value, double roundings, const std::vector<double>& magnitudes = {}) {
    WorkloadResult result;
    verify_values(rt, result, "y", HostArray::from_doubles(shape, Dtype::f32, {1.0, value}), {1.0, 3.0}, roundings,
                  magnitudes);
    return result.verification.at(0);
  };
  const double step = 0x1p-22;         // of f32 at 3
  EXPECT_TRUE(row(3.0 + step, 1).ok);  // 2 u * 3 = 1.5 steps
  EXPECT_FALSE(row(3.0 + 2 * step, 1).ok);
  EXPECT_TRUE(row(3.0 + 2 * step, 2).ok);
  EXPECT_TRUE(row(3.0 + 3 * step, 1, {1.0, -12.0}).ok);  // a sum of terms that cancel
  EXPECT_FALSE(row(3.0 + 4 * step, 1, {1.0, -12.0}).ok);
  EXPECT_EQ(row(3.0, 1).first_failure, 0u);
}

}  // namespace
}  // namespace kb::sw
