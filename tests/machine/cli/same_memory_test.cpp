// hbm3.yaml has values that stand for the banks of HBM3: they agree with those of modern.yaml, which are the same
// banks.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "tests/machine/cli/command_line.h"

namespace kb::test {
namespace {

constexpr std::uint64_t kSlice = 0x2000000000, kHalf = 1 << 30;

class SameMemoryTest : public CommandLineTest {
 protected:
  // GB/s of `count` accesses of 256 B at once, every other one another operation in the other half of the slice.
  double rate(const std::string& machine, const char* even, const char* odd, int count = 16384) const {
    std::string trace = "id,issue_ns,op,src,dst,bytes\n";
    for (int i = 0; i < count; ++i) {
      const bool is_copy = std::string(even) != odd;
      const std::uint64_t at = is_copy ? i / 2 * 256ULL + i % 2 * kHalf : i * 256ULL;
      trace += fmt::format("{},0,{},sip0.cube0.pe0,{:#x},256\n", i, i % 2 == 0 ? even : odd, kSlice + at);
    }
    write("trace.csv", trace);
    double last = 0;
    for (const auto& transfer : answers(machine)) last = std::max(last, transfer["delivered_ns"].get<double>());
    return count * 256 / last;
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

TEST_F(SameMemoryTest, StreamsAndCopiesOfHbm3AreWithinThreePercentOfBanks) {
  expect_equal(rate("hbm3", "pe_read", "pe_read"), rate("modern", "pe_read", "pe_read"), 0.03);
  expect_equal(rate("hbm3", "pe_write", "pe_write"), rate("modern", "pe_write", "pe_write"), 0.03);
  expect_equal(rate("hbm3", "pe_read", "pe_write"), rate("modern", "pe_read", "pe_write"), 0.03);
}

TEST_F(SameMemoryTest, AnIdleReadOfHbm3IsWithinFivePercentOfBanks) {
  expect_equal(idle_ns("hbm3"), idle_ns("modern"), 0.05);
}

}  // namespace
}  // namespace kb::test
