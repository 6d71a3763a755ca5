// Conversions of 16-bit floats, bit for bit against Eigen's (P-90).
#include "platform/data/float_codec.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cstring>
#include <vector>

#include "platform/data/element.h"

namespace kb::data {
namespace {

using Eigen::numext::bit_cast;

constexpr std::uint32_t kHalves = 65536;

std::vector<std::uint16_t> all_halves() {
  std::vector<std::uint16_t> halves(kHalves);
  for (std::uint32_t i = 0; i < kHalves; ++i) halves[i] = static_cast<std::uint16_t>(i);
  return halves;
}

template <typename Half>
void expect_all_widen(void (*widen)(const std::byte*, std::size_t, float*)) {
  const std::vector<std::uint16_t> halves = all_halves();
  std::vector<float> wide(kHalves);
  widen(reinterpret_cast<const std::byte*>(halves.data()), kHalves, wide.data());
  for (std::uint32_t i = 0; i < kHalves; ++i) {
    const auto expected = static_cast<float>(bit_cast<Half>(halves[i]));
    ASSERT_EQ(bit_cast<std::uint32_t>(wide[i]), bit_cast<std::uint32_t>(expected)) << std::hex << i;
  }
}

TEST(FloatCodec, EveryF16Widens) {
  expect_all_widen<Eigen::half>(f16_to_f32);
}

TEST(FloatCodec, EveryBf16Widens) {
  expect_all_widen<Eigen::bfloat16>(
      [](const std::byte* bytes, std::size_t count, float* out) { widen(Dtype::bf16, bytes, count, out); });
}

// Every upper half of an f32 with lower halves at and beside each place where a rounding could turn: ties, subnormals,
// overflow, infinities and NaNs of both signs among them.
template <typename Narrow, typename Expect>
void expect_narrow(Narrow narrow, Expect expect) {
  std::vector<std::uint32_t> lower;
  for (std::uint32_t place = 0; place < 16; ++place) {
    for (const std::uint32_t beside : {0xffffu, 0u, 1u}) lower.push_back(((place << 12) + beside) & 0xffffu);
  }
  std::vector<float> values(lower.size());
  std::vector<std::uint16_t> narrowed(lower.size());
  for (std::uint32_t upper = 0; upper < kHalves; ++upper) {
    for (std::size_t i = 0; i < lower.size(); ++i) values[i] = bit_cast<float>(upper << 16 | lower[i]);
    narrow(values.data(), values.size(), reinterpret_cast<std::byte*>(narrowed.data()));
    for (std::size_t i = 0; i < lower.size(); ++i) {
      ASSERT_EQ(narrowed[i], expect(values[i])) << std::hex << bit_cast<std::uint32_t>(values[i]);
    }
  }
}

TEST(FloatCodec, F16RoundsToNearestEven) {
  expect_narrow(f32_to_f16, [](float value) -> std::uint16_t {
    return value != value ? 0x7e00 : bit_cast<std::uint16_t>(Eigen::half(value));
  });
}

TEST(FloatCodec, Bf16RoundsToNearestEven) {
  const auto narrow_all = [](const float* values, std::size_t count, std::byte* out) {
    narrow(Dtype::bf16, values, count, out);
  };
  expect_narrow(narrow_all, [](float value) -> std::uint16_t {
    return value != value ? 0x7fc0 : bit_cast<std::uint16_t>(Eigen::bfloat16(value));
  });
}

TEST(FloatCodec, F32KeepsAllButTheFormOfNans) {
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 4099) {
    const auto value = bit_cast<float>(static_cast<std::uint32_t>(bits));
    std::uint32_t stored = 0;
    narrow(Dtype::f32, &value, 1, reinterpret_cast<std::byte*>(&stored));
    ASSERT_EQ(stored, value != value ? 0x7fc00000u : static_cast<std::uint32_t>(bits));
  }
}

// The loops handle many elements at once and the rest one by one; operands may lie anywhere.
TEST(FloatCodec, AnyCountAndPlace) {
  for (std::size_t count = 0; count < 40; ++count) {
    std::vector<float> values(count + 1), back(count + 1, -1.0f);
    for (std::size_t i = 0; i < count; ++i) values[i + 1] = static_cast<float>(i) - 7.5f;
    std::vector<std::byte> halves(2 * count + 3, std::byte{0x55});
    f32_to_f16(values.data() + 1, count, halves.data() + 1);
    f16_to_f32(halves.data() + 1, count, back.data());
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(back[i], values[i + 1]);
    EXPECT_EQ(back[count], -1.0f);
    EXPECT_EQ(halves[0], std::byte{0x55});
    EXPECT_EQ(halves[2 * count + 1], std::byte{0x55});
  }
}

}  // namespace
}  // namespace kb::data
