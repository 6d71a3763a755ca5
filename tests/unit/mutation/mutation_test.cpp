// Every fault in every verified workload is caught, and a right result passes, with whole numbers and with reals.
#include "tests/unit/mutation/mutation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "sw/workloads/workload.h"
#include "tests/support/shortened.h"

namespace kb::mutation {
namespace {

using sw::Contents;
using sw::HostArray;

// How often each workload is drawn; KB_MUTATION_DRAWS asks for more.
int draws() {
  const char* const text = std::getenv("KB_MUTATION_DRAWS");
  return text != nullptr ? std::atoi(text) : kb::test::cases(16, 3);
}

std::string table(const data::VerificationRow& row) {
  return data::render_table({row});
}

void inject(const Workload& workload, const Trial& trial, const HostArray& right, Fault fault, Random& random) {
  constexpr int kTries = 400;
  HostArray wrong = right;
  for (int i = 0; i == 0 || (workload.masks && i < kTries && wrong.bytes() == right.bytes()); ++i) {
    const std::optional<HostArray> computed = trial.compute(fault, random);
    wrong = computed ? *computed : damaged(right, fault, random);
  }
  ASSERT_NE(wrong.bytes(), right.bytes())
      << name_of(fault) << " changes nothing in " << workload.name << ", " << trial.text;
  const data::VerificationRow row = trial.verdict(wrong);
  EXPECT_FALSE(row.ok) << name_of(fault) << " passes in " << workload.name << ", " << trial.text << "\n" << table(row);
}

class Mutation : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Mutation, EveryFaultIsCaught) {
  const Workload& workload = workloads()[GetParam()];
  for (int draw = 0; draw < draws() && !HasFailure(); ++draw) {
    Random random(1000 * GetParam() + static_cast<std::uint64_t>(draw) * 1'000'003);
    const Trial trial = workload.draw(random, Contents::integers);
    const HostArray right = *trial.compute(std::nullopt, random);
    const data::VerificationRow row = trial.verdict(right);
    ASSERT_TRUE(row.ok) << workload.name << ", " << trial.text << "\n" << table(row);
    ASSERT_EQ(row.non_finite, 0u) << workload.name << ", " << trial.text << "\n" << table(row);
    for (const Fault fault : kFaults) {
      if (fault == Fault::swapped_rows && right.shape()[0] < 2) continue;  // there is nothing to swap
      if (workload.not_applicable.count(fault) == 0) inject(workload, trial, right, fault, random);
    }
  }
}

TEST_P(Mutation, RightRealsAreWithinTheirBound) {
  const Workload& workload = workloads()[GetParam()];
  for (int draw = 0; draw < draws() && !HasFailure(); ++draw) {
    Random random(7 + 1000 * GetParam() + static_cast<std::uint64_t>(draw) * 1'000'003);
    const Trial trial = workload.draw(random, Contents::real);
    const data::VerificationRow row = trial.verdict(*trial.compute(std::nullopt, random));
    EXPECT_TRUE(row.ok) << workload.name << ", " << trial.text << "\n" << table(row);
    EXPECT_LE(row.max_of_bound, 1.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, Mutation, ::testing::Range(std::size_t{0}, workloads().size()), [](const auto& p) {
  std::string name = workloads()[p.param].name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

// The table above has every workload that verifies something.
TEST(MutationTable, HasEveryVerifiedWorkload) {
  std::set<std::string> tried;
  for (const Workload& workload : workloads()) tried.insert(workload.name.substr(0, workload.name.find(' ')));
  for (const sw::WorkloadGroup& group : sw::builtin_workloads()) {
    for (const sw::Workload& workload : group.workloads) {
      if (!workload.verifies) continue;
      EXPECT_EQ(tried.count(workload.name), 1u) << workload.name << " has no mutation tests";
    }
  }
}

TEST(MutationTable, SaysWhyAFaultDoesNotApply) {
  int applied = 0;
  for (const Workload& workload : workloads()) {
    EXPECT_LE(workload.not_applicable.size(), 5u) << workload.name;
    for (const auto& [fault, reason] : workload.not_applicable) {
      EXPECT_NE(reason, "") << workload.name << ": " << name_of(fault);
      RecordProperty(workload.name + ", " + name_of(fault), reason);
    }
    applied += static_cast<int>(std::size(kFaults) - workload.not_applicable.size());
  }
  EXPECT_GE(static_cast<int>(workloads().size()) * 16, 500);
  EXPECT_GE(applied, static_cast<int>(workloads().size()) * 5);
}

}  // namespace
}  // namespace kb::mutation
