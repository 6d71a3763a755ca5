// Rows of engines: their numbers, and what is refused.
#include "platform/engine/engine_catalog.h"

#include <gtest/gtest.h>

#include <functional>

#include "platform/base/error.h"
#include "platform/engine/built_in_engines.h"
#include "platform/engine/command_ref.h"

namespace kb::engine {
namespace {

CommandRow copy_command(const std::string& name) {
  CommandRow command;
  command.name = name;
  command.reads = {"x"};
  command.result = [](const Call& call) { return TensorType{call.inputs[0].dtype, call.inputs[0].shape}; };
  command.work = [](const Call&) { return 1.0; };
  command.compute = [](const Call&, const std::vector<Tensor>& inputs, Tensor& out) { out.bytes = inputs[0].bytes; };
  return command;
}

EngineRow row_of(const std::string& name, const std::string& command) {
  EngineRow row;
  row.name = name;
  row.commands = {copy_command(command)};
  return row;
}

std::string refusal(const std::function<void(EngineRow&)>& spoil) {
  EngineCatalog catalog;
  EngineRow row = row_of("copier", "copy");
  spoil(row);
  try {
    catalog.add(std::move(row));
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::configuration);
    return error.what();
  }
  return "";
}

TEST(EngineCatalog, HasTheBuiltInEnginesFirst) {
  const EngineCatalog catalog;
  EXPECT_EQ(catalog.ids(), (std::vector<EngineId>{EngineId::gemm, EngineId::math}));
  EXPECT_EQ(engine_node(EngineId::gemm), "pe_gemm");
  EXPECT_EQ(engine_stage(EngineId::math), "MATH");
  EXPECT_EQ(engine_word(EngineId::math).sentence, "PE_MATH computes, PE_GEMM does not.");
  EXPECT_TRUE(catalog.command_names().empty());
}

TEST(EngineCatalog, KnowsWhichEngineExecutesABuiltInOperation) {
  const CommandRef product = product_command();
  EXPECT_EQ(product.engine, EngineId::gemm);
  EXPECT_EQ(product.row->name, "gemm");
  EXPECT_EQ(product.row->form, CommandForm::product);
  for (int op = 0; op < kMathOps; ++op) {
    const CommandRef command = math_command(static_cast<MathOp>(op));
    EXPECT_EQ(command.engine, EngineId::math);
    EXPECT_EQ(command.row->name, math_op_name(static_cast<MathOp>(op)));
    EXPECT_EQ(command.row->form, CommandForm::math_op);
  }
}

TEST(EngineCatalog, NumbersNamesOnceInAProcess) {
  EngineCatalog one, other;
  const EngineId id = one.add(row_of("copier", "copy"));
  EXPECT_EQ(index_of(id), kBuiltInEngines);
  EXPECT_EQ(other.add(row_of("copier", "copy")), id);
  EXPECT_EQ(engine_id("copier"), id);
  EXPECT_EQ(known_engines(), kBuiltInEngines + 1);
  EXPECT_EQ(engine_node(id), "pe_copier");
  EXPECT_EQ(engine_word(id).label, "COPIER");
  EXPECT_EQ(engine_word(id).phrase, "computed in PE_COPIER");
}

TEST(EngineCatalog, FindsCommandsOfPlugInsByName) {
  EngineCatalog catalog;
  const EngineId id = catalog.add(row_of("copier", "copy"));
  ASSERT_TRUE(catalog.find_command("copy"));
  EXPECT_EQ(catalog.find_command("copy")->engine, id);
  EXPECT_EQ(catalog.find_command("copy")->row->reads.size(), 1u);
  EXPECT_FALSE(catalog.find_command("gemm"));  // a call of its own: tl.dot
  EXPECT_FALSE(catalog.with_only({}).find_command("copy"));
  EXPECT_TRUE(catalog.with_only({id}).find_command("copy"));
}

TEST(EngineCatalog, RefusesWhatLacksAPart) {
  EXPECT_EQ(refusal([](EngineRow&) {}), "");
  EXPECT_EQ(refusal([](EngineRow& row) { row.name = "Copier"; }),
            "'Copier' is not a name of an engine; write up to 24 lower-case letters, digits and underscores, e.g. "
            "transpose");
  // A block, a kind of operations, a part of a launch, a time share and a resource of a PE.
  for (const std::string name : {"scheduler", "memory", "delivery", "dma", "channel_busy", "hbm_slice"}) {
    EXPECT_EQ(refusal([&](EngineRow& row) { row.name = name; }),
              "an engine cannot be called '" + name + "', which is something else in a PE");
  }
  EXPECT_EQ(refusal([](EngineRow& row) { row.name = "math"; }), "engine 'math': it exists already; rename it");
  EXPECT_EQ(refusal([](EngineRow& row) { row.colour = "green"; }),
            "engine 'copier': 'green' is no colour; write for example #8a8f3c");
  EXPECT_EQ(refusal([](EngineRow& row) { row.rate = 0; }), "engine 'copier': its rate must be above 0");
  EXPECT_EQ(refusal([](EngineRow& row) { row.commands.clear(); }), "engine 'copier': it has no commands");
  EXPECT_EQ(refusal([](EngineRow& row) { row.commands[0].compute = nullptr; }),
            "engine 'copier': command 'copy' has no `compute`, which makes the data");
  EXPECT_EQ(refusal([](EngineRow& row) { row.commands[0].form = CommandForm::product; }),
            "engine 'copier': command 'copy' has the `form` of a built-in command; leave it out");
  EXPECT_EQ(
      refusal([](EngineRow& row) { row.attributes = built_in_engines()->row(EngineId::math).attributes; }),
      "engine 'copier': it has `attributes`, but those of a plug-in's engine are those of pe_engine; leave them out");
  EXPECT_EQ(refusal([](EngineRow& row) { row.commands.push_back(row.commands[0]); }),
            "engine 'copier': there is another command 'copy'; rename it");
  EXPECT_EQ(refusal([](EngineRow& row) {
              row.commands[0].parameters = {{"n", 9, 1, 8, ""}};
            }),
            "engine 'copier': command 'copy' has a parameter 'n' whose default 9 is not in 1 .. 8");
}

TEST(EngineCatalog, HasRoomForEightEngines) {
  for (std::size_t i = known_engines(); i < kMaxEngines; ++i) engine_id("engine" + std::to_string(i));
  try {
    engine_id("one_too_many");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "engine 'one_too_many' is one too many: 8 are possible, 2 of them built in");
  }
}

}  // namespace
}  // namespace kb::engine
