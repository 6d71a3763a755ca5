// Refers to a command of an engine.
#pragma once

#include <cstdint>

#include "platform/engine/engine_id.h"

namespace kb::engine {

// What a command computes. The first two are built in; they may also run tile by tile, as composites.
enum class CommandForm : std::uint8_t {
  product,  // out (m, n) = a (m, k) x b (k, n)
  math_op,  // a MathOp
  function  // the functions of its row
};

struct CommandRow;
struct CommandRef {
  EngineId engine{};
  const CommandRow* row = nullptr;  // lives as long as a catalog with the engine
};

}  // namespace kb::engine
