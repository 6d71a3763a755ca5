// The model of the MAC array alone, and arrays that do wrong.
#include "modules/rtl/mac_array.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/block/rtl/faulty_array.h"
#include "tests/block/rtl/unreset_array.h"

namespace kb::test {
namespace {

using modules::IMacArray;
using modules::MacArrayRunner;
using modules::MacOperands;
using modules::RtlFill;
using modules::RtlMaker;
using testing::AllOf;
using testing::HasSubstr;

// What the page of the block says: blocks of 8 x 8, each k + 2 * 7 cycles in and 8 out.
std::int64_t cycles(std::int64_t m, std::int64_t k, std::int64_t n) {
  return (m + 7) / 8 * ((n + 7) / 8) * (k + 22);
}

TEST(MacArray, SumsAreThoseOfTheOperands) {
  MacArrayRunner runner(modules::mac_array_model(), 1000);
  for (const auto& [m, k, n] : {std::tuple(1, 1, 1), std::tuple(8, 8, 8), std::tuple(9, 1, 7), std::tuple(7, 33, 17),
                                std::tuple(32, 64, 32), std::tuple(64, 1024, 64)}) {
    EXPECT_EQ(runner.run(MacOperands::pattern(m, k, n), true), cycles(m, k, n)) << m << " x " << k << " x " << n;
  }
}

TEST(MacArray, ExtremeOperandsKeepTheirSigns) {
  MacArrayRunner runner(modules::mac_array_model(), 1000);
  MacOperands operands = MacOperands::pattern(8, 100, 8);
  for (const std::int8_t a : {-128, 127}) {
    for (const std::int8_t b : {-128, 127}) {
      operands.a.assign(operands.a.size(), a);
      operands.b.assign(operands.b.size(), b);
      EXPECT_EQ(operands.sum(7, 7), 100 * a * b);
      EXPECT_NO_THROW(runner.run(operands, true));
    }
  }
}

struct Caught {
  std::string code, message;
};
Caught error_of(const RtlMaker<IMacArray>& make, bool verify = false) {
  MacArrayRunner runner(make, 200);
  try {
    runner.run(MacOperands::pattern(16, 20, 8), verify);
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::model);
    return {error.code(), error.what()};
  }
  return {};
}

TEST(MacArray, OneThatIsBusyForeverIsNamed) {
  const Caught caught = error_of(FaultyArray::maker([](IMacArray::Outputs& out, RtlFill) {
    out.busy = true;
    out.out_valid = false;
  }));
  EXPECT_EQ(caught.code, "RTL_HANG");
  EXPECT_THAT(caught.message, AllOf(HasSubstr("in cycle 222 after its reset busy is 1"),
                                    HasSubstr("for 220 cycles (hang_cycles + k)")));
}

TEST(MacArray, OneThatDoesNotStartIsNamed) {
  const Caught caught = error_of(FaultyArray::maker([](IMacArray::Outputs& out, RtlFill) { out.busy = false; }));
  EXPECT_EQ(caught.code, "RTL_WRONG");
  EXPECT_THAT(caught.message, HasSubstr("in cycle 1 after its reset busy is 0 after the edge that takes start"));
}

TEST(MacArray, AWrongSumIsNamedWhenSumsAreCompared) {
  const auto make = FaultyArray::maker([](IMacArray::Outputs& out, RtlFill) {
    if (out.out_valid && out.block_m == 1 && out.out_row == 3) ++out.sums[5];
  });
  EXPECT_EQ(error_of(make).code, "");
  const Caught caught = error_of(make, true);
  EXPECT_EQ(caught.code, "RTL_WRONG");
  EXPECT_THAT(caught.message, HasSubstr("sums of row 11, column 5 of a product of 16 x 20 x 8 is"));
}

TEST(MacArray, ARegisterThatIsNeverWrittenIsNamedWhereItShows) {
  for (const bool verify : {false, true}) {
    const Caught caught = error_of(unreset_array(), verify);
    EXPECT_EQ(caught.code, "RTL_UNKNOWN_VALUE");
    EXPECT_THAT(caught.message, HasSubstr("in cycle 35 after its reset sums depends on a register that was never"));
  }
}

TEST(MacArray, OutputsThatAreNotValidMayBeAnything) {
  const Caught caught = error_of(FaultyArray::maker([](IMacArray::Outputs& out, RtlFill fill) {
    if (!out.out_valid) out.sums.fill(static_cast<std::int32_t>(fill));
    if (!out.in_ready) out.step = static_cast<std::uint32_t>(fill);
  }));
  EXPECT_EQ(caught.message, "");
}

}  // namespace
}  // namespace kb::test
