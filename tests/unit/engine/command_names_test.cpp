// Names and numbers of commands.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/base/error.h"
#include "platform/contract/command.h"
#include "platform/engine/built_in_engines.h"
#include "platform/engine/engine_catalog.h"

namespace kb::contract {
namespace {

Command of_kind(CommandKind kind) {
  Command command;
  command.kind = kind;
  return command;
}
Command product(CommandKind kind, Dtype dtype) {
  Command command = of_kind(kind);
  command.use(engine::product_command());
  command.inputs.assign(2, OperandRef::tensor({}, {2, 2}, dtype));
  return command;
}
Command math(CommandKind kind, MathOp op) {
  Command command = of_kind(kind);
  command.use(engine::math_command(op));
  command.math_op = op;
  return command;
}
Command atomic_add() {
  Command command = of_kind(CommandKind::dma_write);
  command.added = Dtype::f32;
  return command;
}

TEST(CommandNames, AreNumberedInTheOrderOfTables) {
  const std::vector<std::pair<Command, std::string>> listed = {
      {of_kind(CommandKind::dma_read), "dma_read"},
      {of_kind(CommandKind::dma_write), "dma_write"},
      {atomic_add(), "atomic_add"},
      {product(CommandKind::engine, Dtype::f16), "gemm_f16"},
      {product(CommandKind::engine, Dtype::i8), "gemm_i8"},
      {math(CommandKind::engine, MathOp::add), "add"},
      {math(CommandKind::engine, MathOp::exp), "exp"},
      {product(CommandKind::composite, Dtype::f16), "composite_gemm"},
      {math(CommandKind::composite, MathOp::exp), "composite_math"},
      {of_kind(CommandKind::cpu_overhead), "cpu_overhead"},
      {of_kind(CommandKind::ipcq_send), "ipcq_send"},
      {of_kind(CommandKind::ipcq_recv), "ipcq_recv"},
      {of_kind(CommandKind::barrier), "barrier"}};
  std::size_t before = 0;
  for (const auto& [command, name] : listed) {
    EXPECT_EQ(operation_name(command), name);
    ASSERT_TRUE(operation_number(command)) << name;
    EXPECT_TRUE(*operation_number(command) > before || name == "dma_read") << name;
    before = *operation_number(command);
  }
  EXPECT_LT(before, kOperationNumbers);
  EXPECT_EQ(operation_number(math(CommandKind::composite, MathOp::neg)),
            operation_number(math(CommandKind::composite, MathOp::exp)));
}

TEST(CommandNames, AreThoseOfTheRowsForEnginesOfPlugIns) {
  engine::CommandRow copy;
  copy.name = "copy";
  Command command = of_kind(CommandKind::engine);
  command.use({engine::engine_id("copier"), &copy});
  EXPECT_EQ(operation_name(command), "copy");
  EXPECT_EQ(operation_number(command), std::nullopt);
  EXPECT_EQ(engine_of(command), engine::engine_id("copier"));
}

TEST(CommandNames, AnEngineNeedsACommand) {
  EXPECT_THROW(form_of(of_kind(CommandKind::engine)), Error);
}

TEST(CommandNames, NameTheEngine) {
  EXPECT_EQ(command_name(CommandKind::engine, engine::EngineId::gemm), "gemm");
  EXPECT_EQ(command_name(CommandKind::composite, engine::EngineId::math), "composite_math");
  EXPECT_EQ(command_name(CommandKind::dma_read, {}), "dma_read");
}

}  // namespace
}  // namespace kb::contract
