// cast between all dtypes, and the conversions of host numbers, bit for bit against exact numbers (P-90).
#include <cmath>

#include "platform/base/error.h"
#include "tests/unit/arithmetic/machine.h"

namespace kb::tests {
namespace {

// At, and by the last bit beside, the middle of two neighbours of some float dtype: integers of 64 bits that are a
// middle followed by zeros, f32 numbers whose lower half is one.
void add_middles(Dtype dtype, Encodings& out) {
  for (std::uint64_t i = 0; i < cases() / 10; ++i) {
    const std::uint64_t bits = data::random_bits(3500, i);
    for (const int digits : {3, 4, 8, 11, 24}) {  // of e5m2, e4m3, bf16, f16, f32
      std::uint64_t middle = 0;
      if (!is_float(dtype)) {
        const int length = 8 * static_cast<int>(item_size(dtype)) - 1;  // without the sign
        if (digits + 1 > length) continue;
        const auto room = static_cast<std::uint64_t>(length - digits);
        middle = ((bits >> (63 - digits)) | (std::uint64_t{1} << digits) | 1) << (bits % room);
        if (bits % 3 == 0) middle = 0 - middle;
      } else {
        middle = (bits & ~((std::uint64_t{1} << (24 - digits)) - 1)) | (std::uint64_t{1} << (24 - digits) >> 1);
      }
      for (const std::uint64_t beside : {~std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{1}}) {
        out.push_back(low_bits_of(dtype, middle + beside));
      }
    }
  }
}

// All encodings of dtypes of 8 and 16 bits.
Encodings sources(Dtype dtype) {
  if (item_size(dtype) > 2) {
    Encodings some = operands(dtype, 1, 3000)[0];
    add_middles(dtype, some);
    return some;
  }
  Encodings out(std::size_t{1} << (8 * item_size(dtype)));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = i;
  return out;
}

// What a cast gives; nothing when it must be refused.
std::optional<std::uint64_t> converted(Dtype from, Dtype to, std::uint64_t encoding) {
  const auto bits = static_cast<std::uint32_t>(encoding);
  if (is_float(from) && is_float(to)) return SoftFloat(to).converted(SoftFloat(from), bits);
  if (is_float(to)) return SoftFloat(to).from_integer(signed_value(from, encoding));
  if (!is_float(from)) return low_bits_of(to, static_cast<std::uint64_t>(signed_value(from, encoding)));
  std::int64_t whole = 0;
  if (!SoftFloat(from).to_integer(bits, 8 * static_cast<int>(item_size(to)), whole)) return std::nullopt;
  return low_bits_of(to, static_cast<std::uint64_t>(whole));
}

TEST(Conversions, EveryCastRoundsOnce) {
  for (const Dtype from : kConverted) {
    const Encodings all = sources(from);
    for (const Dtype to : kConverted) {
      Encodings in, want, refused;
      for (const std::uint64_t encoding : all) {
        if (const auto result = converted(from, to, encoding)) {
          in.push_back(encoding);
          want.push_back(*result);
        } else {
          refused.push_back(encoding);
        }
      }
      Machine machine;
      const Encodings got = machine.run(MathOp::cast, from, to, {in});
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i], want[i]) << dtype_name(from) << " " << hex(in[i]) << " to " << dtype_name(to) << ": "
                                   << hex(got[i]) << ", not " << hex(want[i]);
      }
      for (std::size_t i = 0; i < refused.size(); i += 1 + refused.size() / 200) {
        try {
          machine.run(MathOp::cast, from, to, {{refused[i]}});
          ADD_FAILURE() << dtype_name(from) << " " << hex(refused[i]) << " fits no " << dtype_name(to);
        } catch (const Error& error) {
          ASSERT_EQ(error.code(), "VALUE_ERROR");
        }
      }
    }
  }
}

std::uint64_t encoded(const std::vector<std::byte>& bytes) {
  std::uint64_t out = 0;
  std::memcpy(&out, bytes.data(), bytes.size());
  return out;
}

TEST(Conversions, HostNumbersRoundOnce) {
  for (const Dtype dtype : kConverted) {
    if (!is_float(dtype)) continue;
    const SoftFloat soft(dtype);
    const Encodings random = random_encodings(Dtype::i64, 4000, cases());
    for (std::size_t i = 0; i < random.size(); ++i) {
      // Whole numbers of all lengths.
      const auto whole = static_cast<std::int64_t>(random[i]) >> (i % 64);
      ASSERT_EQ(encoded(data::from_integers(dtype, {whole})), soft.from_integer(whole)) << dtype_name(dtype) << whole;
      // Doubles with exponents that all dtypes know, of 53 digits.
      const Dyadic real{random[i] % 2 == 1, (random[i] >> 11) | (std::uint64_t{1} << 52),
                        static_cast<int>(i % 330) - 220};
      const double value = std::ldexp(static_cast<double>(real.mantissa), real.exponent) * (real.negative ? -1 : 1);
      ASSERT_EQ(encoded(data::from_doubles(dtype, {value})), soft.nearest(real))
          << dtype_name(dtype) << " of " << value;
    }
  }
}

// 2^53 + 2^29 + 1 lies above the middle of two f32 numbers by what a double drops.
TEST(Conversions, LongIntegersDoNotPassThroughADouble) {
  const std::int64_t above = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
  Machine machine;
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    const std::int64_t value = dtype == Dtype::f32 ? above : (std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1;
    const std::uint64_t bits = static_cast<std::uint64_t>(value);
    const std::uint32_t one = SoftFloat(dtype).from_integer(std::int64_t{1} << 60);
    EXPECT_EQ(machine.run(MathOp::cast, Dtype::i64, dtype, {{bits}}), (Encodings{one + 1}));
    EXPECT_EQ(encode_element(dtype, Scalar(value)), one + 1);
  }
}

TEST(Conversions, EveryNanIsThePositiveQuietOne) {
  for (const Dtype from : kConverted) {
    if (!is_float(from)) continue;
    for (const Dtype to : kConverted) {
      if (!is_float(to)) continue;
      const SoftFloat in(from), out(to);
      Machine machine;
      EXPECT_EQ(machine.run(MathOp::cast, from, to, {{in.nan(), in.nan() | in.sign_bit()}}),
                (Encodings{out.nan(), out.nan()}))
          << dtype_name(from) << " to " << dtype_name(to);
    }
  }
}

}  // namespace
}  // namespace kb::tests
