// The MATH engine alone: commands come at exact times, as from PE_SCHEDULER. No test framework is needed; with
// GoogleTest each of these functions is a TEST. SystemC elaborates once in a process, so argv[1] chooses the test.
#include "table_math.h"

#include <kernbench/modules/kit/pe_fixture.h>

#include <cstdio>
#include <string>
#include <systemc>

namespace {

using namespace kb::literals;
using kb::MathOp;
using kb::TimeFs;
using kb::topology::NodeKind;

// The engine with 64 lanes at 1 GHz: a cycle is a nanosecond.
struct Engine {
  Engine() {
    pe.add_block(example::table_math(), {{"overhead_ns", 0.0}}, {{"lanes", std::int64_t{64}}, {"clock_ghz", 1.0}});
    pe.start();
  }
  // An operation on `elements` elements, which comes at `at`.
  void give(TimeFs at, MathOp op, std::int64_t elements) {
    pe.give(at, NodeKind::pe_math, kb::test::math(op, {{elements}}, {elements}));
  }
  // Runs, and compares start and end of a command.
  bool served(std::size_t command, TimeFs start, TimeFs end) {
    const kb::test::Outcome& outcome = pe.outcomes()[command];
    if (outcome.status.ok && outcome.start == start && outcome.end == end) return true;
    std::fprintf(stderr, "command %zu: from %s to %s ns\n", command, kb::format_ns(outcome.start).c_str(),
                 kb::format_ns(outcome.end).c_str());
    return false;
  }
  bool run() {
    const std::vector<std::string> problems = pe.run();
    for (const std::string& problem : problems) std::fprintf(stderr, "%s\n", problem.c_str());
    return problems.empty();
  }

  kb::test::PeFixture pe;
};

// 65 elements are two rows of lanes; an exponential takes four cycles per row.
bool counts_rows_of_lanes() {
  Engine engine;
  engine.give(10_ns, MathOp::neg, 64);
  engine.give(20_ns, MathOp::neg, 65);
  engine.give(30_ns, MathOp::exp, 65);
  return engine.run() && engine.served(0, 10_ns, 11_ns) && engine.served(1, 20_ns, 22_ns) &&
         engine.served(2, 30_ns, 38_ns);
}

// Commands wait for the slot in the order in which they came.
bool serves_one_at_a_time() {
  Engine engine;
  engine.give(10_ns, MathOp::exp, 64);
  engine.give(11_ns, MathOp::neg, 64);
  return engine.run() && engine.served(0, 10_ns, 14_ns) && engine.served(1, 14_ns, 15_ns) &&
         engine.pe.statistics(NodeKind::pe_math).at("commands") == 2;
}

}  // namespace

int sc_main(int argc, char** argv) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "counts_rows_of_lanes") return counts_rows_of_lanes() ? 0 : 1;
  if (name == "serves_one_at_a_time") return serves_one_at_a_time() ? 0 : 1;
  std::fprintf(stderr, "name a test\n");
  return 2;
}
