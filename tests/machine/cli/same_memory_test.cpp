// hbm3.yaml has values that stand for the banks of HBM3: they agree with those of modern.yaml, which are the same
// banks.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

constexpr std::uint64_t kSlice = 0x2000000000, kHalf = 1 << 30;

class SameMemoryTest : public CommandLineTest {
 protected:
  static constexpr int kCount = 16384;

  // GB/s of accesses of 256 B at once, whose places in the slice are given in units of 256 B.
  double rate(const std::string& machine, const char* even, const char* odd,
              const std::vector<std::uint64_t>& places) const {
    std::string trace = "id,issue_ns,op,src,dst,bytes\n";
    for (std::size_t i = 0; i < places.size(); ++i) {
      trace += fmt::format("{},0,{},sip0.cube0.pe0,{:#x},256\n", i, i % 2 == 0 ? even : odd, kSlice + places[i] * 256);
    }
    write("trace.csv", trace);
    double last = 0;
    for (const auto& transfer : answers(machine)) last = std::max(last, transfer["delivered_ns"].get<double>());
    return static_cast<double>(places.size()) * 256 / last;
  }

  // One after the other, or every other one in the other half of the slice.
  static std::vector<std::uint64_t> in_order(bool both_halves) {
    std::vector<std::uint64_t> out;
    for (std::uint64_t i = 0; i < kCount; ++i) out.push_back(both_halves ? i / 2 + i % 2 * (kHalf / 256) : i);
    return out;
  }

  // Different ones all over the slice: enough that all channels have about as many.
  static std::vector<std::uint64_t> random() {
    std::mt19937_64 dice(7);
    std::set<std::uint64_t> seen;
    std::vector<std::uint64_t> out;
    while (out.size() < 4 * kCount) {
      const std::uint64_t place = dice() % (2 * kHalf / 256);
      if (seen.insert(place).second) out.push_back(place);
    }
    return out;
  }

  // Median latency of reads of 256 B that are alone: half of them meet no refresh.
  double idle_ns(const std::string& machine) const {
    std::string trace = "id,issue_ns,op,src,dst,bytes\n";
    for (int i = 0; i < 101; ++i) {
      trace += fmt::format("{},{},pe_read,sip0.cube0.pe0,{:#x},256\n", i, i * 1013, kSlice + i * 65792ULL);
    }
    write("trace.csv", trace);
    std::vector<double> latencies;
    for (const auto& transfer : answers(machine)) {
      latencies.push_back(transfer["delivered_ns"].get<double>() - transfer["issue_ns"].get<double>());
    }
    std::nth_element(latencies.begin(), latencies.begin() + 50, latencies.end());
    return latencies[50];
  }

  static void expect_equal(double value, double banks, double share) {
    EXPECT_GE(value, (1 - share) * banks);
    EXPECT_LE(value, (1 + share) * banks);
  }

 private:
  nlohmann::json answers(const std::string& machine) const {
    return json("traffic --trace trace.csv --json --topology " + machine)["rows"];
  }
};

TEST_F(SameMemoryTest, StreamsCopiesAndRandomAccessesOfHbm3AreWithinThreePercentOfBanks) {
  KB_SKIP_UNDER_SANITIZERS();
  const auto expect_rates = [this](const char* even, const char* odd, const std::vector<std::uint64_t>& places) {
    expect_equal(rate("hbm3", even, odd, places), rate("modern", even, odd, places), 0.03);
  };
  expect_rates("pe_read", "pe_read", in_order(false));
  expect_rates("pe_write", "pe_write", in_order(false));
  expect_rates("pe_read", "pe_write", in_order(true));
  expect_rates("pe_read", "pe_read", random());
  expect_rates("pe_write", "pe_write", random());
}

TEST_F(SameMemoryTest, AnIdleReadOfHbm3IsWithinFivePercentOfBanks) {
  expect_equal(idle_ns("hbm3"), idle_ns("modern"), 0.05);
}

}  // namespace
}  // namespace kb::test
