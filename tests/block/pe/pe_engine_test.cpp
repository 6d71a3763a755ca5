// An engine of a plug-in on a real PE: times, contention, FETCH and STORE, shares of the time, and mistakes of kernels.
#include <gmock/gmock.h>

#include <functional>

#include "kernels/tl/tl.h"
#include "platform/base/error.h"
#include "platform/contract/completion.h"
#include "platform/contract/i_pe.h"
#include "platform/engine/engine_catalog.h"
#include "tests/block/pe/pe_machine.h"

namespace kb::test {
namespace {

using contract::IPe;
using testing::HasSubstr;
using tl::TensorHandle;

constexpr const char* kComponent = "cube.pe_template.components.pe_rotate.attrs.";

// Works on four times the elements of its operand by default.
engine::EngineRow rotator() {
  engine::CommandRow command;
  command.name = "rotate";
  command.reads = {"x"};
  command.parameters = {{"turns", 4, 0, 8, "quarter turns"}};
  command.result = [](const engine::Call& call) {
    const OperandRef& x = call.inputs[0];
    if (x.shape.size() != 2) throw Error::program("SHAPE_ERROR", "rotate needs a matrix, not " + format_operand(x));
    return TensorType{x.dtype, {x.shape[1], x.shape[0]}};
  };
  command.work = [](const engine::Call& call) {
    return static_cast<double>(element_count(call.inputs[0].shape) * call.parameters[0]);
  };
  command.compute = [](const engine::Call&, const std::vector<engine::Tensor>&, engine::Tensor&) {};
  engine::EngineRow row;
  row.name = "rotate";
  row.rate = 16;
  row.commands = {command};
  return row;
}

class PeEngine : public testing::Test {
 protected:
  PeEngine() { kind_ = catalog_.add_engine(rotator()); }
  // Runs a kernel on a machine with these keys changed.
  void run(const std::vector<std::pair<std::string, std::string>>& set, const std::function<void(tl::Context&)>& body) {
    MachineOptions options;
    options.blocks = &catalog_;
    options.set = set;
    machine_ = std::make_unique<PeMachine>(options);
    machine_->kernels.add("body", [&](IPe& pe) {
      tl::Context tl(pe, "body");
      body(tl);
      tl.finish();
    });
    machine_->launch("body", 1000 * kNs);
    machine_->run();
  }
  std::string failure() const { return machine_->answers[0].status.message; }
  TimeFs now() const { return machine_->platform->scheduler().now(); }
  const contract::TimeShares& shares() const { return machine_->answers[0].result->shares; }

  elab::BlockCatalog catalog_;
  topology::NodeKind kind_{};
  std::unique_ptr<PeMachine> machine_;
};

TEST_F(PeEngine, TakesItsWorkOverItsRate) {  // P-105
  run({{std::string(kComponent) + "overhead_ns", "5"}}, [&](tl::Context& tl) {
    const TensorHandle x = tl.zeros({32, 16}), small = tl.zeros({1, 8}), wide = tl.zeros({32, 16}, Dtype::f32);
    const auto time_of = [&](const std::function<void()>& calls) {
      const TimeFs begin = now();
      calls();
      return now() - begin;
    };
    EXPECT_EQ(time_of([&] { EXPECT_EQ(tl.engine("rotate", {x}).shape(), (Shape{16, 32})); }), 128 * kNs);
    EXPECT_EQ(time_of([&] { tl.engine("rotate", {x}, {{"turns", 1}}); }), 32 * kNs);
    EXPECT_EQ(time_of([&] { tl.engine("rotate", {wide}); }), 256 * kNs);  // half the rate of f16
    EXPECT_EQ(time_of([&] { tl.engine("rotate", {small}); }), 5 * kNs);   // the least time
    const TensorHandle out = tl.empty({16, 32});
    EXPECT_EQ(time_of([&] { tl.engine_into(out, "rotate", {x}); }), 128 * kNs);
  });
  EXPECT_EQ(failure(), "");
  EXPECT_EQ(machine_->statistics("sip0.cube0.pe0.pe_rotate")["commands"], 5);
}

TEST_F(PeEngine, TakesTurnsWithTheOtherEngines) {  // P-39, P-105
  TimeFs begin = 0_fs, end = 0_fs;
  const auto both = [&](tl::Context& tl) {
    const TensorHandle x = tl.zeros({32, 16}), y = tl.zeros({64, 256});
    begin = now();
    const tl::Future turned = tl.engine_async("rotate", {x});
    tl.relu(y);  // 64 ns on PE_MATH
    tl.wait(turned);
    end = now();
  };
  run({{std::string(kComponent) + "elements_per_ns", "32"}}, both);
  EXPECT_EQ(failure(), "");
  EXPECT_EQ(end - begin, 64 * kNs + 64 * kNs);
  const engine::EngineId rotate = engine::engine_id("rotate");
  EXPECT_EQ(shares().of(rotate), 64 * kNs);
  EXPECT_EQ(shares().of(engine::EngineId::math), 64 * kNs);
  EXPECT_EQ(shares().computing(), 128 * kNs);
}

TEST_F(PeEngine, ComputesBesideThemWithoutASharedSlot) {  // P-39, P-105
  TimeFs begin = 0_fs, end = 0_fs;
  run({{std::string(kComponent) + "shared_resource", "none"}}, [&](tl::Context& tl) {
    const TensorHandle x = tl.zeros({32, 16}), y = tl.zeros({64, 256});
    begin = now();
    const tl::Future turned = tl.engine_async("rotate", {x});
    tl.relu(y);
    tl.wait(turned);
    end = now();
  });
  EXPECT_EQ(end - begin, 128 * kNs);
  EXPECT_EQ(shares().of(engine::engine_id("rotate")), 64 * kNs);  // what PE_MATH does counts first
}

TEST_F(PeEngine, IsSurroundedByFetchAndStoreWhenTheyAreCharged) {  // P-9, P-105
  run({{std::string(kComponent) + "queue_depth", "1"},
       {"cube.pe_template.components.pe_scheduler.attrs.charge_fetch_store", "true"}},
      [&](tl::Context& tl) {
        tl.engine("rotate", {tl.zeros({32, 16})});
      });
  EXPECT_EQ(failure(), "");
  auto moved = machine_->statistics("sip0.cube0.pe0.pe_fetch_store");
  EXPECT_EQ(moved["fetch_bytes"], 1024);
  EXPECT_EQ(moved["store_bytes"], 1024);
}

TEST_F(PeEngine, NamesMistakesOfAKernel) {
  const std::vector<std::pair<std::string, std::function<void(tl::Context&, const TensorHandle&)>>> mistakes{
      {"no engine of this machine has a command 'rotat'; did you mean 'rotate'?",
       [](tl::Context& tl, const TensorHandle& x) { tl.engine("rotat", {x}); }},
      {"command 'rotate' reads 1 operand (x), not 2",
       [](tl::Context& tl, const TensorHandle& x) {
         tl.engine("rotate", {x, x});
       }},
      {"command 'rotate' has no parameter 'turn'; did you mean 'turns'?",
       [](tl::Context& tl, const TensorHandle& x) {
         tl.engine("rotate", {x}, {{"turn", 1}});
       }},
      {"parameter 'turns' of command 'rotate' is 9, but must be 0 to 8",
       [](tl::Context& tl, const TensorHandle& x) {
         tl.engine("rotate", {x}, {{"turns", 9}});
       }},
      {"rotate needs a matrix, not f16 (8)",
       [](tl::Context& tl, const TensorHandle&) { tl.engine("rotate", {tl.zeros({8})}); }}};
  run({{std::string(kComponent) + "queue_depth", "1"}}, [&](tl::Context& tl) {
    const TensorHandle x = tl.zeros({8, 8});
    for (const auto& [message, mistake] : mistakes) {
      try {
        mistake(tl, x);
        ADD_FAILURE() << message;
      } catch (const Error& error) {
        EXPECT_EQ(error.family(), ErrorFamily::program);
        EXPECT_THAT(error.what(), HasSubstr("tl.engine #"));
        EXPECT_THAT(error.what(), HasSubstr(message));
      }
    }
  });
}

TEST_F(PeEngine, IsMissingWhereTheTopologyDoesNotNameIt) {
  run({}, [&](tl::Context& tl) { tl.engine("rotate", {tl.zeros({8, 8})}); });
  EXPECT_THAT(failure(), HasSubstr("no engine of this machine has a command 'rotate'"));
  EXPECT_THAT(failure(), HasSubstr("cube.pe_template.components"));
  EXPECT_FALSE(machine_->graph().find_node("sip0.cube0.pe0.pe_rotate"));
}

}  // namespace
}  // namespace kb::test
