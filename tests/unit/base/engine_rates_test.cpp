#include "platform/ops/engine_rates.h"

#include <gtest/gtest.h>

#include "platform/base/granularity.h"
#include "platform/ops/epilogue.h"
#include "platform/ops/op_types.h"

namespace kb {
namespace {

TEST(DtypeRates, FollowF16) {  // P-40, P-41
  const DtypeRates macs(RateUnit::macs, 4096.0), elements(RateUnit::elements, 256.0);
  EXPECT_EQ(macs.of(Dtype::i8), 8192.0);
  EXPECT_EQ(macs.of(Dtype::f32), 2048.0);
  EXPECT_EQ(macs.of(Dtype::bf16), 4096.0);
  EXPECT_EQ(elements.of(Dtype::i64), 64.0);
}

TEST(ProductRate, IsThatOfTheSlowerOperandAndInt4CostsNothing) {  // P-40
  MacRates rates(4096.0);
  EXPECT_EQ(product_rate(rates, Dtype::f16, Dtype::f32), MacRate(2048.0));
  EXPECT_EQ(product_rate(rates, Dtype::e4m3, Dtype::f16), MacRate(4096.0));
  EXPECT_EQ(product_rate(rates, Dtype::f16, Dtype::i4), MacRate(4096.0));
  EXPECT_EQ(product_rate(rates, Dtype::i4, Dtype::f32), MacRate(2048.0));
  EXPECT_EQ(product_rate(rates, Dtype::i8, Dtype::i4), MacRate(8192.0));
  EXPECT_EQ(product_rate(rates, Dtype::i4, Dtype::i4), MacRate(8192.0));
  rates.set(Dtype::i8, 1024.0);
  EXPECT_EQ(product_rate(rates, Dtype::f16, Dtype::i4), MacRate(4096.0)) << "i8 has no part in it";
  EXPECT_EQ(product_rate(rates, Dtype::i4, Dtype::i8), MacRate(1024.0));
}

TEST(StorageBytes, TwoElementsOfInt4ShareAByte) {
  EXPECT_EQ(storage_bytes(Dtype::i4, 6), 3u);
  EXPECT_EQ(storage_bytes(Dtype::f32, 6), 24u);
  EXPECT_EQ(dtype_name(Dtype::i4), "i4");
  EXPECT_FALSE(parse_dtype("i4")) << "no tensor is of it";
}

TEST(Granularity, RoundsEachSizeUp) {  // P-28
  const Granularity array{32, 64, 32};
  EXPECT_EQ(array.padded_macs(1, 1, 1), 32 * 64 * 32);
  EXPECT_EQ(array.padded_macs(32, 65, 33), 32 * 128 * 64);
  EXPECT_EQ(Granularity{}.padded_macs(3, 5, 7), 105);
}

TEST(Granularity, IsReadFromItsText) {
  const auto sizes = parse_granularity("16x128x4096");
  ASSERT_TRUE(sizes);
  EXPECT_EQ(sizes->m, 16);
  EXPECT_EQ(sizes->k, 128);
  EXPECT_EQ(sizes->n, 4096);
  EXPECT_EQ(parse_granularity("none")->padded_macs(3, 5, 7), 105);
  for (const char* wrong : {"", "32", "32x64", "32x64x", "32x64x32x1", "0x1x1", "1x1x4097", "-1x1x1", "x1x1", "None",
                            "32 x 64 x 32", "1x1x99999999999999999999"}) {
    EXPECT_FALSE(parse_granularity(wrong)) << wrong;
  }
}

TEST(EpilogueDtype, IsTheAccumulatorsUntilADequant) {  // P-14, P-41
  const std::vector<Epilogue> chain{{EpilogueOp::relu, EpilogueScope::output_tile, {}},
                                    {EpilogueOp::dequant, EpilogueScope::output_tile, {}},
                                    {EpilogueOp::bias, EpilogueScope::output_tile, {}},
                                    {EpilogueOp::scale, EpilogueScope::k_tile, {}}};
  EXPECT_EQ(epilogue_dtype(chain, 0, Dtype::i32), Dtype::i32);
  EXPECT_EQ(epilogue_dtype(chain, 1, Dtype::i32), Dtype::f32);
  EXPECT_EQ(epilogue_dtype(chain, 2, Dtype::i64), Dtype::f32);
  EXPECT_EQ(epilogue_dtype(chain, 3, Dtype::i64), Dtype::i64);  // k_tile epilogues come first
}

}  // namespace
}  // namespace kb
