// The priority router alone: two senders, one wire out, one nanosecond for each flit. No test framework is needed; with
// GoogleTest each of these functions is a TEST. SystemC elaborates once in a process, so argv[1] chooses the test.
#include "priority_router.h"

#include <kernbench/modules/kit/fabric_fixture.h>

#include <cstdio>
#include <string>
#include <systemc>
#include <vector>

namespace {

using namespace kb::literals;
using kb::TimeFs;
using kb::payload::Op;
using kb::payload::Transaction;

constexpr TimeFs kHop = 1_fs;  // the least time on a wire

// What flits of 256 B find: a -> router -> c and b -> router -> c, 2 ns in the router, 256 GB/s on the way out.
struct Crossing {
  explicit Crossing(const kb::elab::BlockDefinition& block) {
    router = fixture.add_block("router", block, {{"overhead_ns", 2.0}}, {{"urgent_bytes", 256}});
    a = fixture.add_scripted("a");
    b = fixture.add_scripted("b");
    c = fixture.add_scripted("c");
    for (const kb::NodeId neighbour : {a, b, c}) fixture.link(neighbour, router, 0.0, 256.0);
    fixture.start();
  }
  // A write of `bytes` from `from` to c, whose flits arrive at the router from `at` on, one per nanosecond.
  void write(kb::NodeId from, std::uint64_t bytes, TimeFs at) {
    Transaction& transaction = fixture.transaction(Op::write, {from, router, c}, bytes);
    fixture.scripted(from).request(transaction, at, 1_ns);
  }

  kb::test::FabricFixture fixture;
  kb::NodeId router, a, b, c;
};

bool equal(const std::vector<TimeFs>& times, const std::vector<TimeFs>& expected) {
  if (times == expected) return true;
  for (const TimeFs time : times) std::fprintf(stderr, "arrived at %s ns\n", kb::format_ns(time).c_str());
  return false;
}

bool kept(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) std::fprintf(stderr, "%s\n", problem.c_str());
  return problems.empty();
}

// Issued at 10 ns, a flit leaves 2 ns later and takes 1 ns.
bool passes_one_write() {
  Crossing crossing(example::priority_router());
  crossing.write(crossing.a, 512, 10_ns);
  return kept(crossing.fixture.run()) &&
         equal(crossing.fixture.times(crossing.router, crossing.c), {13_ns + kHop, 14_ns + kHop});
}

// Two long writes keep the wire busy; the short one comes at 14 ns and goes before what still waits.
bool lets_short_ones_overtake() {
  Crossing crossing(example::priority_router());
  crossing.write(crossing.a, 1024, 10_ns);
  crossing.write(crossing.b, 1024, 10_ns);
  crossing.write(crossing.b, 256, 14_ns);
  if (!kept(crossing.fixture.run())) return false;
  std::vector<std::uint64_t> order;  // transactions by arrival
  for (const kb::test::Arrival& flit : crossing.fixture.checker().arrivals(crossing.router, crossing.c)) {
    order.push_back(flit.transaction);
  }
  return order == std::vector<std::uint64_t>{0, 1, 0, 1, 2, 0, 1, 0, 1};
}

// A read through the router: the target answers 5 ns after the command.
bool brings_read_data_back() {
  Crossing crossing(example::priority_router());
  crossing.fixture.scripted(crossing.c).answer_after(5_ns);
  Transaction& read = crossing.fixture.transaction(Op::read, {crossing.a, crossing.router, crossing.c}, 512);
  crossing.fixture.scripted(crossing.a).request(read, 10_ns);
  return kept(crossing.fixture.run()) && crossing.fixture.times(crossing.router, crossing.a).size() == 2;
}

}  // namespace

int sc_main(int argc, char** argv) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "passes_one_write") return passes_one_write() ? 0 : 1;
  if (name == "lets_short_ones_overtake") return lets_short_ones_overtake() ? 0 : 1;
  if (name == "brings_read_data_back") return brings_read_data_back() ? 0 : 1;
  std::fprintf(stderr, "name a test\n");
  return 2;
}
