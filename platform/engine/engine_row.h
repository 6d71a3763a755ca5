// Description of an engine of a PE: its commands, its time and its words in reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/engine/command_ref.h"
#include "platform/engine/engine_id.h"
#include "platform/ops/op_types.h"

namespace kb::params {
class FieldTable;
}

namespace kb::engine {

// An integer parameter of a command; `fallback` is its default.
struct Parameter {
  std::string name;
  std::int64_t fallback = 0;
  std::int64_t least = 0, most = 0;
  std::string text;
};

// A call of a command by a kernel: the types of the inputs, and the parameters in the order of the row.
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
  std::string name;                   // also the name of its operations in the log
  std::string text;                   // a sentence
  std::vector<std::string> reads;     // names of the operands in scratch, in order
  std::string writes = "out";         // name of the result in scratch
  std::vector<Parameter> parameters;  // in the order of Call::parameters
  CommandForm form = CommandForm::function;

  // Returns the type of the result; throws program Errors for unsuitable operands.
  std::function<TensorType(const Call&)> result;
  // Returns the work in elements of the engine's rate.
  std::function<double(const Call&)> work;
  // Writes `out`, which has the type of the result and is initialised with zeros.
  std::function<void(const Call&, const std::vector<Tensor>& inputs, Tensor& out)> compute;
};

// Roof of an engine in a roofline, defined by an attribute of its block.
struct Roof {
  std::string rate = "elements_per_ns";
  std::string unit = "element";      // unit that the rate counts
  double operations_per_unit = 1.0;  // a multiply-accumulate is two
};

struct EngineRow {
  std::string name;      // "transpose"; the block in a PE is pe_transpose
  std::string label;     // "TRANSPOSE", in tables and pictures
  std::string text;      // a sentence about the block
  std::string sentence;  // description of its time share: "PE_MATH computes, PE_GEMM does not."
  std::string phrase;    // phrase for a kernel: "computed in PE_MATH"
  std::string advice;    // advice when it is the bottleneck
  std::string colour;    // "#d9822b"
  double rate = 1.0;     // elements_per_ns of f16, unless the block's attributes give it
  Roof roof;
  std::vector<CommandRow> commands;
  const params::FieldTable* attributes = nullptr;  // of a built-in engine's block; others have those of pe_engine
};

}  // namespace kb::engine
