#include "modules/kit/commands.h"

#include <utility>

#include "platform/address/phys_addr.h"
#include "platform/engine/built_in_engines.h"

namespace kb::test {

contract::Command dma(contract::CommandKind kind, std::vector<Extent> memory, std::vector<Extent> local) {
  contract::Command command;
  command.kind = kind;
  command.memory = std::move(memory);
  command.local = std::move(local);
  return command;
}

contract::Command gemm(std::int64_t m, std::int64_t k, std::int64_t n) {
  contract::Command command;
  command.kind = contract::CommandKind::engine;
  command.use(engine::product_command());
  command.m = m;
  command.k = k;
  command.n = n;
  const auto operand = [](std::int64_t rows, std::int64_t cols) {
    return OperandRef::tensor({{0, static_cast<std::uint64_t>(rows * cols * 2)}}, {rows, cols}, Dtype::f16);
  };
  command.inputs = {operand(m, k), operand(k, n)};
  command.out = operand(m, n);
  return command;
}

contract::Command math(MathOp op, std::vector<Shape> inputs, Shape out) {
  contract::Command command;
  command.kind = contract::CommandKind::engine;
  command.use(engine::math_command(op));
  command.math_op = op;
  for (Shape& shape : inputs) command.inputs.push_back(OperandRef::tensor({}, std::move(shape), Dtype::f16));
  command.out = OperandRef::tensor({}, std::move(out), Dtype::f16);
  return command;
}

std::uint64_t hbm(std::uint64_t offset) {
  return address::PhysAddr::hbm_addr(SipId(0), CubeId(0), offset).value();
}

std::uint64_t tcm(std::uint64_t offset) {
  return address::PhysAddr::pe_tcm_addr(SipId(0), CubeId(0), PeId(0), offset).value();
}

}  // namespace kb::test
