// Operations of the data engine on encodings, and sets of encodings, for tests of arithmetic.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "platform/data/element.h"
#include "platform/data/executor.h"
#include "tests/support/soft_float.h"

namespace kb::tests {

using Encodings = std::vector<std::uint64_t>;

inline constexpr Dtype kFloats[] = {Dtype::f16, Dtype::bf16, Dtype::f32};
inline constexpr Dtype kIntegers[] = {Dtype::i8, Dtype::i16, Dtype::i32, Dtype::i64};
inline constexpr Dtype kConverted[] = {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::e4m3, Dtype::e5m2,
                                       Dtype::i8,  Dtype::i16,  Dtype::i32, Dtype::i64};

// Random cases of each operation and dtype; a million in the exhaustive run (CONTRIBUTING.md).
inline std::size_t cases() {
  const char* const wanted = std::getenv("KB_ARITHMETIC_CASES");
  return wanted == nullptr ? 10'000 : std::strtoul(wanted, nullptr, 10);
}

// The data engine's executor on arrays of encodings.
class Machine {
 public:
  // out[i] = op(inputs[0][i], inputs[1][i], ...), or along `axis` of arrays of `shape`.
  Encodings run(MathOp op, Dtype in, Dtype out, const std::vector<Encodings>& inputs) {
    const Shape shape{static_cast<std::int64_t>(inputs.front().size())};
    return run(op, in, out, inputs, shape, shape, std::nullopt);
  }
  Encodings run(MathOp op, Dtype in, Dtype out, const std::vector<Encodings>& inputs, const Shape& shape,
                const Shape& result, std::optional<int> axis) {
    data::MathOpRecord record;
    record.op = op;
    record.axis = axis;
    for (const Encodings& input : inputs) record.inputs.push_back(placed(in, shape, input));
    record.out = operand(out, result);
    execute(record);
    return read(record.out);
  }
  Encodings multiply(Dtype in, Dtype out, const Encodings& a, const Encodings& b, const Shape& shape_a,
                     const Shape& shape_b, Dtype acc) {
    data::GemmOp record;
    record.a = placed(in, shape_a, a);
    record.b = placed(in, shape_b, b);
    record.out = operand(out, {shape_a[0], shape_b[1]});
    record.acc_dtype = acc;
    execute(record);
    return read(record.out);
  }

 private:
  OperandRef operand(Dtype dtype, const Shape& shape) {
    OperandRef out = OperandRef::tensor({}, shape, dtype);
    out.extents = {{next_, out.nbytes()}};
    next_ += out.nbytes() + 64;
    return out;
  }
  OperandRef placed(Dtype dtype, const Shape& shape, const Encodings& values) {
    OperandRef out = operand(dtype, shape);
    const std::size_t item = item_size(dtype);
    std::vector<std::byte> bytes(values.size() * item);
    for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(bytes.data() + i * item, &values[i], item);
    memory_.scatter(out.extents, bytes.data());
    return out;
  }
  Encodings read(const OperandRef& from) const {
    const std::vector<std::byte> bytes = memory_.gather(from.extents);
    const std::size_t item = item_size(from.dtype);
    Encodings out(bytes.size() / item);
    for (std::size_t i = 0; i < out.size(); ++i) std::memcpy(&out[i], bytes.data() + i * item, item);
    return out;
  }
  template <typename Op>
  void execute(const Op& op) {
    executor_.execute({1, 0_fs, 0_fs, NodeId(0), op});
  }

  data::MemoryStore memory_;
  data::Executor executor_{memory_};
  std::uint64_t next_ = 0x1000;
};

inline std::int64_t signed_value(Dtype dtype, std::uint64_t encoding) {
  const int unused = 64 - 8 * static_cast<int>(item_size(dtype));
  return static_cast<std::int64_t>(encoding << unused) >> unused;
}
inline std::uint64_t low_bits_of(Dtype dtype, std::uint64_t value) {
  return value & (~std::uint64_t{0} >> (64 - 8 * item_size(dtype)));
}

// Zeros, the ends of the ranges, ones, infinities, NaNs with both signs, and the adjacent encodings.
inline Encodings specials(Dtype dtype) {
  Encodings out;
  const auto beside = [&](std::uint64_t encoding) {
    for (const std::uint64_t more : {~std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{1}}) {
      out.push_back(low_bits_of(dtype, encoding + more));
    }
  };
  if (!is_float(dtype)) {
    const std::uint64_t top = std::uint64_t{1} << (8 * item_size(dtype) - 1);
    for (const std::uint64_t end : {std::uint64_t{0}, top}) beside(end);
    return out;
  }
  const SoftFloat soft(dtype);
  const std::uint32_t one = soft.nearest(Dyadic{false, 1, 0}), infinity = soft.infinity(false);
  for (const std::uint32_t sign : {0u, soft.sign_bit()}) {
    for (const std::uint32_t place : {0u, one, infinity, soft.nan(), one / 2}) beside(place | sign);
    beside(soft.nearest(Dyadic{false, 1, 1}) | sign);
  }
  return out;
}

// `count` random encodings, half of them with close exponents, so that sums cancel and round.
inline Encodings random_encodings(Dtype dtype, std::uint64_t seed, std::size_t count) {
  Encodings out(count);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = low_bits_of(dtype, data::random_bits(seed, i));
    if (!is_float(dtype) || i % 2 == 0) continue;
    const SoftFloat soft(dtype);
    const std::uint64_t one = soft.nearest(Dyadic{false, 1, 0});
    const std::uint64_t range = one / 8;  // exponents close to that of one
    const std::uint64_t bits = out[i];
    out[i] = (one - range / 2 + bits % range) | (bits & soft.sign_bit());
  }
  return out;
}

// All pairs of specials, followed by random pairs; all pairs for an 8-bit dtype.
inline std::vector<Encodings> operands(Dtype dtype, std::size_t arity, std::uint64_t seed) {
  std::vector<Encodings> out(arity);
  Encodings all = specials(dtype);
  if (item_size(dtype) == 1) {
    all.resize(256);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  }
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < std::min<std::size_t>(arity, 2); ++i) combinations *= all.size();
  for (std::size_t i = 0; i < combinations; ++i) {
    if (arity > 0) out[0].push_back(all[i % all.size()]);
    if (arity > 1) out[1].push_back(all[i / all.size() % all.size()]);
    if (arity > 2) out[2].push_back(all[(i * 7 + i / all.size()) % all.size()]);
  }
  for (std::size_t i = 0; i < arity; ++i) {
    const Encodings more = random_encodings(dtype, seed + i, cases());
    out[i].insert(out[i].end(), more.begin(), more.end());
  }
  return out;
}

inline std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%#llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace kb::tests
