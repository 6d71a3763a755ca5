// The fixture of the test kit for blocks of a PE: what a user's test sees of a good engine and of bad ones.
#include "modules/kit/pe_fixture.h"

#include <gmock/gmock.h>

#include "modules/pe/catalog.h"
#include "modules/pe/pe_math.h"
#include "platform/contract/command.h"
#include "platform/params/pe_math_params.h"

namespace kb::test {
namespace {

using namespace kb::literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using topology::NodeKind;

enum class Fault { none, twice, silent, unasked, foreign_exception };
Fault g_fault = Fault::none;

class Engine final : public modules::PeBlock, private elab::EventHandler {
 public:
  Engine(const sc_core::sc_module_name& name, NodeId node, const params::PeMathParams& kind, const params::NoParams&,
         modules::PeContext& pe, elab::BlockContext& context)
      : PeBlock(name, node, pe, context), overhead_(kind.overhead.time()) {}

 private:
  void on_task(modules::CommandTask& task) override {
    if (g_fault == Fault::foreign_exception) throw std::runtime_error("no table");
    if (g_fault == Fault::unasked) return answer(pool_.acquire(*task.command));
    task_ = &task;
    task.start = now();
    scheduler().schedule(now() + overhead_, *this);
  }
  void on_event(TimeFs, std::uint64_t) override {
    if (g_fault == Fault::silent) return;
    finish(*task_);
    if (g_fault == Fault::twice) finish(*task_);
  }

  TimeFs overhead_;
  modules::CommandTask* task_ = nullptr;
  modules::CommandPool pool_;
};

struct PeFixtureTest : testing::Test {
  std::vector<std::string> run(Fault fault) {
    g_fault = fault;
    pe.add_block({NodeKind::pe_math, "custom.engine", params::no_fields(),
                  modules::make_custom_pe_factory<Engine, params::PeMathParams, params::NoParams>()},
                 {{"overhead_ns", 7.0}});
    pe.start();
    pe.give(10_ns, NodeKind::pe_math, math(MathOp::add, {{64}, {64}}, {64}));
    return pe.run();
  }

  PeFixture pe;
};

TEST_F(PeFixtureTest, TimesABlockThatKeepsTheProtocol) {  // T-28a
  EXPECT_THAT(run(Fault::none), IsEmpty());
  ASSERT_EQ(pe.outcomes().size(), 1u);
  EXPECT_EQ(pe.outcomes()[0].start, 10_ns);
  EXPECT_EQ(pe.outcomes()[0].end, 17_ns);
  EXPECT_EQ(pe.outcomes()[0].answered, 17_ns);
  EXPECT_TRUE(pe.outcomes()[0].status.ok);
}

TEST_F(PeFixtureTest, NamesABlockThatEndsACommandTwice) {
  EXPECT_THAT(run(Fault::twice),
              ElementsAre(HasSubstr("sip0.cube0.pe0.pe_math (custom.engine) ends a stage of tl. #0 of "
                                    "launch #0, which it has given away already, at 17 ns; ")));
}

TEST_F(PeFixtureTest, NamesABlockThatNeverAnswers) {
  EXPECT_THAT(run(Fault::silent),
              ElementsAre(HasSubstr("(custom.engine) never answers tl. #0 of launch #0, which it got at "
                                    "10 ns; nothing can happen any more at 17 ns; call finish()")));
}

TEST_F(PeFixtureTest, NamesABlockThatAnswersWhatItNeverGot) {
  EXPECT_THAT(run(Fault::unasked),
              ElementsAre(HasSubstr("(custom.engine) answers a command that it never got at 10 ns; ")));
}

TEST_F(PeFixtureTest, NamesABlockThatThrows) {
  EXPECT_THAT(run(Fault::foreign_exception), ElementsAre(HasSubstr("(custom.engine) threw at 10 ns: no table")));
}

TEST(PeFixture, TakesBuiltInBlocksAndKeysOfTheTopology) {
  PeFixture pe(NodeKind::pe_scheduler, {{"cube.pe_template.components.pe_math.attrs.elements_per_ns", "64"},
                                        {"cube.pe_template.components.pe_math.attrs.overhead_ns", "0"}});
  pe.start();
  pe.give(10_ns, NodeKind::pe_math, math(MathOp::add, {{640}, {640}}, {640}));
  EXPECT_THAT(pe.run(), IsEmpty());
  EXPECT_EQ(pe.outcomes()[0].end, 20_ns);
  EXPECT_EQ(pe.statistics(NodeKind::pe_math).at("commands"), 1);
}

TEST(PeFixture,
     ScriptsMemories) {  // a load of 256 B from the script in place of PE_CPU, through PE_SCHEDULER and PE_DMA
  PeFixture pe(NodeKind::pe_cpu);
  pe.start();
  contract::Command load = dma(contract::CommandKind::dma_read, {{hbm(4096), 256}}, {{tcm(0), 256}});
  pe.give(10_ns, NodeKind::pe_scheduler, load);
  EXPECT_THAT(pe.run(), IsEmpty());
  EXPECT_TRUE(pe.outcomes()[0].status.ok) << pe.outcomes()[0].status.message;
  ASSERT_EQ(pe.memory.accesses.size(), 1u);
  EXPECT_EQ(pe.memory.accesses[0].bytes, 256u);
  EXPECT_EQ(pe.memory.accesses[0].hbm_offset, 4096u);
  EXPECT_GT(pe.outcomes()[0].answered, 110_ns);  // the memory takes 100 ns
}

}  // namespace
}  // namespace kb::test
