// What kernels pay for operations on a real PE: the same work costs the same however it is written.
#include <gmock/gmock.h>

#include <functional>
#include <random>

#include "kernels/tl/tl.h"
#include "platform/contract/completion.h"
#include "platform/contract/i_pe.h"
#include "tests/block/pe/pe_machine.h"

namespace kb::test {
namespace {

using contract::IPe;
using tl::TensorHandle;

constexpr TimeFs kReady = 1000 * kNs;

class EngineCosts : public testing::Test {
 protected:
  void run(const std::function<void(IPe&)>& body) {
    machine_.kernels.add("body", body);
    machine_.launch("body", kReady);
    machine_.run();
    ASSERT_TRUE(machine_.answers[0].status.ok) << machine_.answers[0].status.message;
  }
  TimeFs time_of(const std::function<void()>& calls) const {
    const TimeFs begin = machine_.platform->scheduler().now();
    calls();
    return machine_.platform->scheduler().now() - begin;
  }
  std::int64_t gemm_statistic(const char* name) const {
    const auto all = machine_.statistics("sip0.cube0.pe0.pe_gemm");
    const auto found = all.find(name);
    return found == all.end() ? 0 : found->second;
  }

  PeMachine machine_;
};

void expect_near(TimeFs native, TimeFs by_hand, const std::string& what) {
  EXPECT_LE(std::abs(fs_to_ns(native - by_hand)), 0.1 * fs_to_ns(by_hand)) << what;
}

TEST_F(EngineCosts, OperationsOfSeveralPassesCostTheirPasses) {  // P-41
  run([&](IPe& pe) {
    tl::Context tl(pe, "body");
    for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32}) {
      for (const Shape& shape : {Shape{1, 512}, Shape{64, 256}, Shape{128, 32}}) {
        const tl::Scratch scope(tl);
        const TensorHandle x = tl.zeros(shape, dtype);
        const std::string what = std::string(dtype_name(dtype)) + " " + format_shape(shape);
        const TimeFs softmax = time_of([&] { tl.softmax(x, 1); });
        const TimeFs by_hand = time_of([&] {
          const TensorHandle powers = tl.exp(x - tl.max(x, 1));
          powers / tl.sum(powers, 1);
        });
        EXPECT_GT(softmax, 0_fs);
        expect_near(softmax, by_hand, "softmax " + what);
        const TimeFs sigmoid = time_of([&] { tl.sigmoid(x); });
        expect_near(sigmoid, time_of([&] { tl.div(1.0, tl.exp(tl.neg(x)) + 1.0); }), "sigmoid " + what);
      }
    }
  });
}

TEST_F(EngineCosts, DotAndCompositeOccupyTheArrayAlike) {  // P-28, P-40
  run([&](IPe& pe) {
    std::mt19937 random(1);
    const auto size = [&](int most) { return std::uniform_int_distribution<std::int64_t>(1, most)(random); };
    for (int i = 0; i < 200; ++i) {
      const std::int64_t m = size(100), k = size(200), n = size(100);
      const std::int64_t before = gemm_statistic("busy");
      const std::int64_t macs = gemm_statistic("macs"), useful = gemm_statistic("useful_macs");
      pe.execute(gemm(m, k, n));
      const std::int64_t simple = gemm_statistic("busy") - before;
      const std::int64_t simple_macs = gemm_statistic("macs") - macs;
      pe.execute(composite(m, k, n));
      const std::string what = format_shape({m, k, n});
      EXPECT_EQ(gemm_statistic("busy") - before - simple, simple) << what;
      EXPECT_EQ(gemm_statistic("macs") - macs - simple_macs, simple_macs) << what;
      EXPECT_EQ(gemm_statistic("useful_macs") - useful, 2 * m * k * n) << what;
    }
  });
}

TEST_F(EngineCosts, ALaunchTellsItsPadding) {  // P-28
  run([](IPe& pe) {
    pe.execute(gemm(1, 64, 32));
    pe.execute(composite(33, 64, 32));
  });
  EXPECT_EQ(machine_.answers[0].result->macs, 3 * 65536);
  EXPECT_EQ(machine_.answers[0].result->useful_macs, (1 + 33) * 2048);
}

}  // namespace
}  // namespace kb::test
