#include "sim/analysis/findings/pe_transfers.h"

#include <gtest/gtest.h>

namespace kb::sim {
namespace {

TEST(TransferChain, HasTransfersThatBeginWhenTheOneBeforeHasEnded) {
  TransferChain chain;
  chain.add(0_ns, 10_ns);
  chain.add(5_ns, 15_ns);  // overlaps
  chain.add(10_ns, 20_ns);
  chain.add(12_ns, 22_ns);  // overlaps
  chain.add(30_ns, 31_ns);
  EXPECT_EQ(chain.count(0_ns, 31_ns), 3u);
  EXPECT_EQ(chain.count(10_ns, 31_ns), 2u) << "the first one ended before";
  EXPECT_EQ(chain.count(0_ns, 30_ns), 2u) << "the last one ends behind";
}

// A long transfer that ends last does not keep shorter ones out.
TEST(TransferChain, IsTheLongestOne) {
  TransferChain chain;
  for (int i = 0; i < 9; ++i) chain.add(i * 10_ns, (i + 1) * 10_ns);
  chain.add(0_ns, 95_ns);
  EXPECT_EQ(chain.count(0_ns, 100_ns), 9u);
}

// Of very many, every second, fourth ... end is kept; a count is then no less than the transfers.
TEST(TransferChain, OfManyTransfersIsNoLessThanTheyAre) {
  TransferChain chain;
  for (std::int64_t i = 0; i < 100000; ++i) chain.add(i * 1_ns, (i + 1) * 1_ns);
  const std::uint64_t all = chain.count(0_ns, 100000_ns), some = chain.count(500_ns, 1500_ns);
  EXPECT_GE(all, 100000u);
  EXPECT_LE(all, 100100u);
  EXPECT_GE(some, 1000u);
  EXPECT_LE(some, 1100u);
}

TEST(PeTransfers, KnowTheMemoriesOfTheirCommands) {
  PeTransfers transfers;
  transfers.add_target({{0x100000, 256}}, nullptr, 1);
  transfers.add_target({{0x100100, 256}}, nullptr, 1);
  transfers.add_target({{0x1fff00, 512}}, nullptr, 1);  // ends in the next MiB
  ASSERT_EQ(transfers.targets.size(), 2u);
  EXPECT_EQ(transfers.targets.at(1).commands, 3u);
  EXPECT_EQ(transfers.targets.at(2).commands, 1u);
  EXPECT_EQ(transfers.targets.at(2).address, 0x2000ffu);
}

}  // namespace
}  // namespace kb::sim
