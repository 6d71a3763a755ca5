// The table of hops without a machine: order, choice of initiators, the limit.
#include "sim/analysis/hops/hop_trace.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "platform/base/error.h"

namespace kb::sim {
namespace {

using payload::Hop;
using payload::Leg;
using testing::HasSubstr;

class HopTraceTest : public testing::Test {
 protected:
  HopTraceTest() {
    for (const char* id : {"a.pe_dma", "router", "b.pe_dma", "memory"}) {
      topology::Node node;
      node.id = id;
      graph.nodes.push_back(node);
    }
    graph.finish();
    from_a.nodes = {NodeId(0), NodeId(1), NodeId(3)};
    from_b.nodes = {NodeId(2), NodeId(1), NodeId(3)};
    for (payload::FabricRoute* route : {&from_a, &from_b}) route->ports.resize(3);
  }

  payload::Transaction& read(const payload::FabricRoute& route) {
    return pool.acquire(payload::Op::read, route, 0x40, 512);
  }
  // The two wires there and back, told in another order.
  static void pass(HopTrace& trace, const payload::Transaction& transaction) {
    const std::vector<NodeId>& nodes = transaction.route->nodes;
    for (const int i : {1, 0}) {
      trace.passed({transaction.id, nodes[i], nodes[i + 1], Leg::request, static_cast<std::uint16_t>(i)});
      trace.passed({transaction.id, nodes[i + 1], nodes[i], Leg::response, static_cast<std::uint16_t>(i + 1), 2});
    }
  }
  static std::vector<std::string> written(HopTrace& trace) {
    const std::string name = (std::filesystem::temp_directory_path() / ("hops." + std::to_string(::getpid()))).string();
    observe::OutputFile file(name, "the file of hops");
    trace.write(file);
    file.commit();
    std::vector<std::string> lines;
    std::ifstream stream(name);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    std::filesystem::remove(name);
    return lines;
  }

  topology::Graph graph;
  payload::FabricRoute from_a, from_b;
  payload::TransactionPool pool{256};
};

TEST_F(HopTraceTest, LinesGoAlongTheWay) {
  HopTrace trace(graph, {});
  payload::Transaction& first = read(from_a);
  payload::Transaction& second = read(from_b);
  for (payload::Transaction* transaction : {&first, &second}) EXPECT_TRUE(trace.follows(*transaction));
  pass(trace, second);
  pass(trace, first);
  const std::vector<std::string> lines = written(trace);
  ASSERT_EQ(lines.size(), 9U);
  const std::string of_a = "0\tread\ta.pe_dma\tmemory\t0x40\t512\t-\t";
  EXPECT_THAT(lines[1], HasSubstr(of_a + "request\ta.pe_dma\trouter\t0\t"));
  EXPECT_THAT(lines[2], HasSubstr(of_a + "request\trouter\tmemory\t0\t"));
  EXPECT_THAT(lines[3], HasSubstr(of_a + "response\tmemory\trouter\t2\t"));
  EXPECT_THAT(lines[4], HasSubstr(of_a + "response\trouter\ta.pe_dma\t2\t"));
  EXPECT_THAT(lines[5], HasSubstr("1\tread\tb.pe_dma\t"));
  EXPECT_FALSE(trace.warning());
}

TEST_F(HopTraceTest, OnlyChosenInitiators) {
  HopTrace trace(graph, {{"b.*"}});
  EXPECT_FALSE(trace.follows(read(from_a)));
  EXPECT_TRUE(trace.follows(read(from_b)));
}

TEST_F(HopTraceTest, BeyondTheLimitOnlyThoseThatWereFollowedBefore) {
  HopTrace trace(graph, {{}, 5});  // a read has four hops
  payload::Transaction& first = read(from_a);
  payload::Transaction& second = read(from_a);
  payload::Transaction& third = read(from_a);
  EXPECT_TRUE(trace.follows(first));
  EXPECT_TRUE(trace.follows(second));
  EXPECT_FALSE(trace.follows(third));
  EXPECT_TRUE(trace.follows(first));
  pass(trace, first);
  pass(trace, second);
  EXPECT_EQ(written(trace).size(), 9U);
  EXPECT_THAT(trace.warning().value_or(""), HasSubstr("the first 8 hops, of transactions before number 2"));
}

TEST_F(HopTraceTest, APatternThatMatchesNothingIsRefused) {
  try {
    HopTrace trace(graph, {{"a.pe_dna"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'a.pe_dma'"));
  }
}

TEST_F(HopTraceTest, NothingOnTheFabricIsSaid) {
  EXPECT_THAT(HopTrace(graph, {}).warning().value_or(""), HasSubstr("no transaction"));
}

}  // namespace
}  // namespace kb::sim
