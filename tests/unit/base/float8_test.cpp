// The codec of 8-bit floats against the values of the OCP specification and a search for the nearest one.
#include "platform/base/float8.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "platform/ops/op_types.h"

namespace kb {
namespace {

// Tables 1 and 2 of the specification: largest, smallest normal and subnormal, specials.
TEST(Float8, HasTheSpecifiedValues) {
  EXPECT_EQ(decode_float8(Dtype::e4m3, 0x7e), 448.0);
  EXPECT_EQ(decode_float8(Dtype::e4m3, 0x08), 0x1p-6);
  EXPECT_EQ(decode_float8(Dtype::e4m3, 0x07), 0.875 * 0x1p-6);
  EXPECT_EQ(decode_float8(Dtype::e4m3, 0x01), 0x1p-9);
  EXPECT_EQ(decode_float8(Dtype::e4m3, 0x38), 1.0);
  EXPECT_TRUE(std::isnan(decode_float8(Dtype::e4m3, 0x7f)));
  EXPECT_TRUE(std::isnan(decode_float8(Dtype::e4m3, 0xff)));
  EXPECT_EQ(decode_float8(Dtype::e5m2, 0x7b), 57344.0);
  EXPECT_EQ(decode_float8(Dtype::e5m2, 0x04), 0x1p-14);
  EXPECT_EQ(decode_float8(Dtype::e5m2, 0x03), 0.75 * 0x1p-14);
  EXPECT_EQ(decode_float8(Dtype::e5m2, 0x01), 0x1p-16);
  EXPECT_EQ(decode_float8(Dtype::e5m2, 0x7c), HUGE_VAL);
  EXPECT_EQ(decode_float8(Dtype::e5m2, 0xfc), -HUGE_VAL);
  for (const std::uint8_t nan : {0x7d, 0x7e, 0x7f, 0xfd}) EXPECT_TRUE(std::isnan(decode_float8(Dtype::e5m2, nan)));
  EXPECT_TRUE(std::signbit(decode_float8(Dtype::e4m3, 0x80)));
}

// Values by an other way than the codec's: an e5m2 is the upper byte of an f16; an e4m3 is counted up in steps that
// double every eight numbers.
TEST(Float8, EveryCodeIsWhatItsBitsSay) {
  double step = 0x1p-9, value = 0;
  for (int code = 0; code < 0x7f; ++code, value += step) {
    if (code >= 16 && code % 8 == 0) step *= 2;
    EXPECT_EQ(decode_float8(Dtype::e4m3, static_cast<std::uint8_t>(code)), value) << code;
    EXPECT_EQ(decode_float8(Dtype::e4m3, static_cast<std::uint8_t>(code | 0x80)), -value) << code;
  }
  for (int code = 0; code < 256; ++code) {
    const std::byte half[2]{std::byte{0}, static_cast<std::byte>(code)};
    const double wanted = decode_element(Dtype::f16, half),
                 got = decode_float8(Dtype::e5m2, static_cast<std::uint8_t>(code));
    EXPECT_TRUE(std::isnan(wanted) ? std::isnan(got) : got == wanted) << code;
  }
}

struct Nearest {
  explicit Nearest(Dtype type, int count) : dtype(type), finite(count) {}
  double at(int code) const { return decode_float8(dtype, static_cast<std::uint8_t>(code)); }
  // Among the finite ones and the one that would come next, to the even code at a tie.
  int of(double magnitude) const {
    const double next = 2 * at(finite - 1) - at(finite - 2);
    if (magnitude >= next) return finite;
    int best = 0;
    for (int code = 0; code <= finite; ++code) {
      const double there = code == finite ? next : at(code), before = best == finite ? next : at(best);
      const double far = std::fabs(there - magnitude), least = std::fabs(before - magnitude);
      if (far < least || (far == least && code % 2 == 0)) best = code;
    }
    return best;
  }
  Dtype dtype;
  int finite;  // codes 0 .. finite - 1; `finite` itself stands for overflow
};

TEST(Float8, RoundsToTheNearestEven) {
  for (const Nearest& nearest : {Nearest(Dtype::e4m3, 0x7f), Nearest(Dtype::e5m2, 0x7c)}) {
    std::vector<double> values{0, 1e-300, 1e300, HUGE_VAL};
    for (int code = 0; code + 1 < nearest.finite; ++code) {
      const double low = nearest.at(code), high = nearest.at(code + 1), middle = (low + high) / 2;
      for (const double v : {low, middle, std::nextafter(middle, low), std::nextafter(middle, high)})
        values.push_back(v);
    }
    const double largest = nearest.at(nearest.finite - 1), half = (largest - nearest.at(nearest.finite - 2)) / 2;
    for (const double v : {largest, largest + half, std::nextafter(largest + half, 0.0),
                           std::nextafter(largest + half, HUGE_VAL), 2 * largest}) {
      values.push_back(v);
    }
    for (const double v : values) {
      const int wanted = std::isinf(v) ? nearest.finite : nearest.of(v);
      EXPECT_EQ(encode_float8(nearest.dtype, v), wanted) << dtype_name(nearest.dtype) << " " << v;
      EXPECT_EQ(encode_float8(nearest.dtype, -v), wanted | 0x80) << dtype_name(nearest.dtype) << " " << -v;
    }
  }
  EXPECT_EQ(encode_float8(Dtype::e4m3, std::nan("")), 0x7f);
  EXPECT_EQ(encode_float8(Dtype::e5m2, std::nan("")), 0x7e);
}

TEST(Float8, NothingSaturates) {
  EXPECT_EQ(encode_float8(Dtype::e4m3, 464.0), 0x7e);  // a tie, to 448
  EXPECT_EQ(encode_float8(Dtype::e4m3, 464.1), 0x7f);
  EXPECT_EQ(encode_float8(Dtype::e4m3, -HUGE_VAL), 0xff);
  EXPECT_EQ(encode_float8(Dtype::e5m2, 61439.0), 0x7b);
  EXPECT_EQ(encode_float8(Dtype::e5m2, 61440.0), 0x7c);  // a tie, to the even one
}

TEST(Float8, IsForStorage) {
  EXPECT_EQ(item_size(Dtype::e4m3), 1u);
  EXPECT_EQ(parse_dtype("e5m2"), Dtype::e5m2);
  EXPECT_TRUE(is_float(Dtype::e4m3));
  EXPECT_TRUE(is_storage(Dtype::e5m2));
  EXPECT_EQ(arithmetic_dtype_names().size(), kDtypes - 2);
  EXPECT_EQ(product_dtype(Dtype::e4m3, Dtype::e5m2), Dtype::f16);
  EXPECT_EQ(product_dtype(Dtype::bf16, Dtype::e4m3), Dtype::bf16);
  EXPECT_EQ(product_dtype(Dtype::e4m3, Dtype::f32), Dtype::f32);
  EXPECT_EQ(product_dtype(Dtype::e4m3, Dtype::i8), std::nullopt);
  EXPECT_EQ(promoted(Dtype::e4m3, Dtype::f32), std::nullopt);
}

}  // namespace
}  // namespace kb
