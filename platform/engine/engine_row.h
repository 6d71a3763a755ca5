// One engine of a PE as data: what it does, what kernels may ask of it, and how reports speak of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/engine/engine_id.h"
#include "platform/ops/op_types.h"

namespace kb::engine {

// A whole number that a kernel gives with a command, unless it leaves it at `fallback`.
struct Parameter {
  std::string name;
  std::int64_t fallback = 0;
  std::int64_t least = 0, most = 0;
  std::string text;
};

// A command as a kernel gives it: the types of what it reads, and its parameters in the order of the row.
struct Call {
  const std::vector<OperandRef>& inputs;
  const std::vector<std::int64_t>& parameters;
};

// Contents of an operand, row-major and dense.
struct Tensor {
  Dtype dtype = Dtype::f16;
  Shape shape;
  std::vector<std::byte> bytes;
};

// A command of an engine. Kernels call those of plug-ins by name: tl.engine("transpose", {x}).
struct CommandRow {
  std::string name;                   // also that of its operations in the log
  std::string text;                   // a sentence
  std::vector<std::string> reads;     // its operands in scratch, in order
  std::string writes = "out";         // its result in scratch
  std::vector<Parameter> parameters;  // in the order of Call::parameters

  // The type of the result; program Errors where the operands do not fit.
  std::function<TensorType(const Call&)> result;
  // How much it works, in elements of the engine's rate.
  std::function<double(const Call&)> work;
  // Writes `out`, which has the type of the result and zeros.
  std::function<void(const Call&, const std::vector<Tensor>& inputs, Tensor& out)> compute;
};

// The line of a roofline that an engine cannot pass, by the attribute of its block that has its rate.
struct Roof {
  std::string rate = "elements_per_ns";
  std::string unit = "element";      // what the rate counts
  double operations_per_unit = 1.0;  // a multiply-accumulate is two
};

struct EngineRow {
  std::string name;      // "transpose"; the block in a PE is pe_transpose
  std::string label;     // "TRANSPOSE", in tables and pictures
  std::string text;      // a sentence about the block
  std::string sentence;  // the time in which it works: "PE_MATH computes, PE_GEMM does not."
  std::string phrase;    // the same for a kernel: "computed in PE_MATH"
  std::string advice;    // what helps when it works all the time
  std::string colour;    // "#d9822b"
  double rate = 1.0;     // elements_per_ns of f16, unless the attributes of the block say it
  Roof roof;
  std::vector<CommandRow> commands;
};

}  // namespace kb::engine
