// NaNs and infinities in every verified workload: a right result of operands that have one passes; one that loses it,
// or the sign of an infinity, is wrong, and so is one that has a NaN or an infinity where a number is expected.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "platform/ops/op_types.h"
#include "tests/support/shortened.h"
#include "tests/unit/mutation/mutation.h"

namespace kb::mutation {
namespace {

using data::RowStatus;
using sw::Contents;
using sw::HostArray;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMostDraws = 12;  // in which a workload may have integers
const int kDraws = kb::test::cases(kMostDraws, 4);

HostArray with(const HostArray& array, std::size_t index, double value) {
  HostArray out = array;
  const std::uint64_t bits = encode_element(array.dtype(), value);
  std::memcpy(out.bytes().data() + index * item_size(array.dtype()), &bits, item_size(array.dtype()));
  return out;
}

std::vector<std::size_t> non_finite(const HostArray& array) {
  std::vector<std::size_t> out;
  const std::vector<double> values = array.to_doubles();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) out.push_back(i);
  }
  return out;
}

class NonFinite : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Workload& workload() const { return workloads()[GetParam()]; }
  Random random_of(int draw) const {
    return Random(13 + 1000 * GetParam() + static_cast<std::uint64_t>(draw) * 1'000'003);
  }
  // Alternates: integers find faults that an error bound could hide, and reals have error bounds.
  static Contents contents_of(int draw) { return draw % 2 == 0 ? Contents::integers : Contents::real; }

  void expect_wrong(const Trial& trial, const HostArray& wrong, const std::string& what) const {
    const data::VerificationRow row = trial.verdict(wrong);
    EXPECT_EQ(row.status(), RowStatus::wrong) << what << " passes in " << workload().name << ", " << trial.text << "\n"
                                              << data::render_table({row});
  }

  // Writes `value` into an operand so that the result has a NaN or an infinity, and takes some of those out of it.
  bool lose(const Trial& trial, const HostArray& finite, double value, Random& random) const {
    constexpr int kTries = 40;  // elements that a mask hides, or that weigh nothing
    for (int i = 0; i < kTries; ++i) {
      HostArray& operand = *random.one_of(trial.operands);
      if (operand.bytes().empty() || !is_float(operand.dtype())) continue;
      const HostArray before = operand;
      operand = with(operand, random.bits() % static_cast<std::size_t>(element_count(operand.shape())), value);
      const HostArray right = *trial.compute(std::nullopt, random);
      const std::vector<std::size_t> places = non_finite(right);
      if (!places.empty()) lose_in(trial, finite, right, random.one_of(places), value);
      operand = before;
      if (!places.empty()) return true;
    }
    return false;
  }

  void lose_in(const Trial& trial, const HostArray& finite, const HostArray& right, std::size_t place,
               double value) const {
    const data::VerificationRow row = trial.verdict(right);
    ASSERT_EQ(row.status(), RowStatus::ok)
        << value << " in an operand of " << workload().name << ", " << trial.text << "\n"
        << data::render_table({row});
    const double was = right.to_doubles()[place];
    expect_wrong(trial, with(right, place, finite.to_doubles()[place]), fmt::format("a number instead of {}", was));
    expect_wrong(trial, with(right, place, 0), fmt::format("0 instead of {}", was));
    if (std::isnan(was)) {
      expect_wrong(trial, with(right, place, kInfinity), "infinity instead of NaN");
    } else {
      expect_wrong(trial, with(right, place, -was), "the other infinity");
      expect_wrong(trial, with(right, place, kNan), "NaN instead of infinity");
    }
  }
};

TEST_P(NonFinite, OneThatIsNotExpectedIsWrong) {
  for (int draw = 0; draw < kDraws && !HasFailure(); ++draw) {
    Random random = random_of(draw);
    const Trial trial = workload().draw(random, contents_of(draw));
    const HostArray right = *trial.compute(std::nullopt, random);
    if (!is_float(right.dtype())) continue;
    const std::size_t place = random.bits() % static_cast<std::size_t>(element_count(right.shape()));
    for (const double value : {kNan, kInfinity, -kInfinity}) {
      expect_wrong(trial, with(right, place, value), fmt::format("{}", value));
    }
  }
}

TEST_P(NonFinite, OneThatIsLostIsWrong) {
  int nans = 0;
  const auto goes_on = [&](int draw) { return draw < kDraws || (nans == 0 && !workload().integers); };
  for (int draw = 0; draw < kMostDraws && goes_on(draw) && !HasFailure(); ++draw) {
    Random random = random_of(draw);
    const Trial trial = workload().draw(random, contents_of(draw));
    const HostArray right = *trial.compute(std::nullopt, random);
    if (!is_float(right.dtype()) || trial.operands.empty()) continue;
    nans += lose(trial, right, kNan, random) ? 1 : 0;
    lose(trial, right, kInfinity, random);
    lose(trial, right, -kInfinity, random);
  }
  EXPECT_EQ(nans > 0, !workload().integers) << workload().name;
}

INSTANTIATE_TEST_SUITE_P(Workloads, NonFinite, ::testing::Range(std::size_t{0}, workloads().size()), [](const auto& p) {
  std::string name = workloads()[p.param].name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace kb::mutation
