#include "platform/data/float_codec.h"

#include <cstdint>
#include <cstring>

namespace kb::data {
namespace {

// Bits of f32; exponents are biased by 127, those of f16 by 15.
constexpr std::uint32_t kExponentOne = 1u << 23;
constexpr std::uint32_t kRebias = 127u - 15u;
constexpr std::uint32_t kInfinity = 0xffu << 23;
constexpr int kDroppedBits = 13;  // of the mantissa, in f16

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
// These magnitudes are below 2^31, so that the signed comparison, the only one of SSE2, is correct.
std::int32_t magnitude_of(std::uint32_t bits) {
  return static_cast<std::int32_t>(bits & 0x7fffffffu);
}
// With a plain `?:` the compiler may not evaluate both sides, because one has floating-point arithmetic.
std::uint32_t select(bool condition, std::uint32_t yes, std::uint32_t no) {
  const std::uint32_t mask = 0u - static_cast<std::uint32_t>(condition);
  return (yes & mask) | (no & ~mask);
}

}  // namespace

void f16_to_f32(const std::byte* bytes, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t half;
    std::memcpy(&half, bytes + 2 * i, sizeof half);
    const std::uint32_t shifted = (half & 0x7fffu) << kDroppedBits;
    const auto magnitude = static_cast<std::int32_t>(shifted);
    constexpr std::uint32_t kSmallestNormal = (kRebias + 1) * kExponentOne;  // 2^-14
    // Adds an implicit leading one, which f16's subnormals do not have, and subtracts it as a number.
    const std::uint32_t subnormal = bits_of(float_of(shifted + kSmallestNormal) - float_of(kSmallestNormal));
    const std::uint32_t normal = shifted + kRebias * kExponentOne;
    const std::uint32_t special = shifted + 2 * kRebias * kExponentOne;
    std::uint32_t bits = select(magnitude < static_cast<std::int32_t>(kExponentOne), subnormal, normal);
    bits = select(magnitude >= static_cast<std::int32_t>(31 * kExponentOne), special, bits);
    bits |= (half & 0x8000u) << 16;
    std::memcpy(out + i, &bits, sizeof bits);
  }
}

void f32_to_f16(const float* values, std::size_t count, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = bits_of(values[i]);
    const std::int32_t magnitude = magnitude_of(bits);
    const auto shifted = static_cast<std::uint32_t>(magnitude);
    const std::uint32_t odd = shifted >> kDroppedBits & 1u;
    const std::uint32_t normal = (shifted - kRebias * kExponentOne + 0xfffu + odd) >> kDroppedBits;
    // The last bit of 0.5 + x has the weight of f16's smallest number, so that the addition rounds.
    const std::uint32_t subnormal = bits_of(float_of(shifted) + 0.5f) - bits_of(0.5f);
    std::uint32_t half = select(magnitude < static_cast<std::int32_t>((kRebias + 1) * kExponentOne), subnormal, normal);
    half = select(magnitude >= static_cast<std::int32_t>((kRebias + 31) * kExponentOne), 0x7c00u, half);
    half |= bits >> 16 & 0x8000u;
    half = select(magnitude > static_cast<std::int32_t>(kInfinity), 0x7e00u, half);
    const auto stored = static_cast<std::uint16_t>(half);
    std::memcpy(out + 2 * i, &stored, sizeof stored);
  }
}

}  // namespace kb::data
