#include "platform/base/checked.h"

#include <gtest/gtest.h>

#include <string>

#include "platform/base/dtype.h"
#include "platform/base/error.h"

namespace kb {
namespace {

template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code() + ": " + error.what();
  }
  return "no error";
}

TEST(Checked, ProductsAndSumsThatFitAreExact) {
  EXPECT_EQ(checked_product("x", {}), 1);
  EXPECT_EQ(checked_product("x", {INT64_C(1) << 31, INT64_C(1) << 31}), INT64_C(1) << 62);
  EXPECT_EQ(checked_product("x", {-1, INT64_MAX}), -INT64_MAX);
  EXPECT_EQ(checked_sum("x", {INT64_MAX, -1, 1}), INT64_MAX);
  EXPECT_EQ(checked_sum("x", {}), 0);
}

TEST(Checked, WhatDoesNotFitNamesTheSizesAndTheLimit) {
  EXPECT_EQ(error_of([] {
              checked_product("heads x head_dim", {3, INT64_C(1) << 62});
            }),
            "SHAPE_ERROR: heads x head_dim = 3 x 4611686018427387904 is beyond 9223372036854775807, the largest number "
            "there is; choose smaller sizes");
  EXPECT_EQ(error_of([] {
              checked_sum("first + count", {INT64_MAX, 1});
            }),
            "SHAPE_ERROR: first + count = 9223372036854775807 + 1 is beyond 9223372036854775807, the largest number "
            "there is; choose smaller sizes");
  EXPECT_EQ(error_of([] { checked_product("x", {INT64_MIN, -1}); }).substr(0, 11), "SHAPE_ERROR");
}

TEST(Checked, DivisionRoundsUpForTheLargestNumbers) {
  EXPECT_EQ(ceil_div(0, 4), 0);
  EXPECT_EQ(ceil_div(8, 4), 2);
  EXPECT_EQ(ceil_div(9, 4), 3);
  EXPECT_EQ(ceil_div(512, INT64_MAX - 1), 1);
  EXPECT_EQ(ceil_div(INT64_MAX, 2), INT64_C(1) << 62);
}

TEST(Checked, ShapesWithMoreElementsThanCanBeAddressedSayHowManyCan) {
  EXPECT_EQ(element_count({INT64_C(1) << 30, INT64_C(1) << 29}), INT64_C(1) << 59);
  EXPECT_EQ(error_of([] {
              element_count({INT64_C(1) << 30, INT64_C(1) << 30});
            }),
            "SHAPE_ERROR: shape (1073741824, 1073741824) has more elements than can be addressed, "
            "576460752303423488");
}

}  // namespace
}  // namespace kb
