// Helpers of the data engine's tests.
#pragma once

#include <gmock/gmock.h>

#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "platform/base/error.h"
#include "platform/data/element.h"
#include "platform/data/memory_store.h"
#include "platform/data/op_record.h"
#include "tests/support/shortened.h"

namespace kb::data::test {

// Property tests draw the same cases in every run; RC_PARAMS in the environment overrides it.
inline const int kSeeded = ::setenv("RC_PARAMS", kb::test::cases("seed=20240917", "seed=20240917 max_success=40"), 0);

inline constexpr Dtype kAllDtypes[] = {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::i8,
                                       Dtype::i16, Dtype::i32,  Dtype::i64};

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline OperandRef at(std::uint64_t pa, Shape shape, Dtype dtype, bool transposed = false) {
  OperandRef operand = OperandRef::tensor({}, std::move(shape), dtype, transposed);
  operand.extents = {{pa, operand.nbytes()}};
  return operand;
}

inline void put(MemoryStore& memory, const OperandRef& operand, const std::vector<double>& values) {
  const std::vector<std::byte> bytes = from_doubles(operand.dtype, values);
  memory.scatter(operand.extents, bytes.data());
}

inline std::vector<double> get(const MemoryStore& memory, const OperandRef& operand) {
  return to_doubles(operand.dtype, memory.gather(operand.extents));
}

inline std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (int v : values) out.push_back(static_cast<std::byte>(v));
  return out;
}

template <typename Op>
OpRecord record(Op op, std::uint64_t id = 1, TimeFs start = 0_fs, TimeFs end = 0_fs, NodeId component = NodeId(0)) {
  return {id, start, end, component, std::move(op)};
}

// Runs `action` and checks code, family and a part of the message of the Error that it must throw.
inline void expect_error(const std::function<void()>& action, ErrorFamily family, const std::string& code,
                         const std::vector<std::string>& parts) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), family) << error.what();
    EXPECT_EQ(error.code(), code) << error.what();
    for (const std::string& part : parts) EXPECT_THAT(error.what(), ::testing::HasSubstr(part));
    return;
  }
  ADD_FAILURE() << "no error; expected " << code;
}

}  // namespace kb::data::test
