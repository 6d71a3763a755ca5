#include "sim/ports/traffic/traffic_writer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kb::sim {
namespace {

topology::LoadedTopology tiny() {
  return topology::load_text(
      "system: {sips: {count: 1}}\nsip: {cube_mesh: {w: 1, h: 1}}\n"
      "cube: {pe_layout: {corners: [NW], pe_per_corner: 1}}\n",
      "tiny.yaml");
}

TrafficResult result_of(const topology::Graph& graph, const std::string& id) {
  TrafficResult result;
  result.row.id = id;
  result.row.op = TraceOp::pe_read;
  result.row.src = {SipId(0), CubeId(0), PeId(0)};
  result.row.dst = 0x1f00;
  result.row.bytes = 16384;
  static std::vector<NodeId> path;
  path = {*graph.find_node("sip0.cube0.pe0.pe_dma"), *graph.find_node("sip0.cube0.hbm_ctrl.pe0")};
  result.path = &path;
  result.issue = 500'000_fs;
  result.delivered = 75'000'001_fs;
  result.completed = 77_ns;
  result.status = "OK";
  return result;
}

std::string json_of(const topology::Graph& graph, const std::vector<TrafficResult>& results) {
  std::string text;
  render_traffic_json(graph, results, [&](std::string_view piece) { text += piece; });
  return text;
}
std::string tsv_of(const topology::Graph& graph, const std::vector<TrafficResult>& results) {
  std::string text;
  render_traffic_tsv(graph, results, [&](std::string_view piece) { text += piece; });
  return text;
}

TEST(TrafficWriter, JsonHasTheContractsFieldsInOrder) {
  const topology::LoadedTopology machine = tiny();
  EXPECT_EQ(json_of(machine.graph, {result_of(machine.graph, "12")}),
            "{\n  \"schema\": 1,\n  \"flit_bytes\": 256,\n  \"rows\": [\n"
            "    {\"id\": 12, \"op\": \"pe_read\", \"src\": \"sip0.cube0.pe0\", \"dst\": \"0x1f00\", \"bytes\": 16384, "
            "\"path\": [\"sip0.cube0.pe0.pe_dma\", \"sip0.cube0.hbm_ctrl.pe0\"], \"issue_ns\": 0.5, "
            "\"delivered_ns\": 75.000001, \"completed_ns\": 77, \"status\": \"OK\"}\n  ]\n}\n");
}

TEST(TrafficWriter, IdsAreNumbersOnlyWhenTheyAreWrittenLikeJsonNumbers) {
  const topology::LoadedTopology machine = tiny();
  for (const char* id : {"007", "a1", "-3", "1.0", "12345678901234567890"}) {
    const std::string json = json_of(machine.graph, {result_of(machine.graph, id)});
    EXPECT_NE(json.find("\"id\": \"" + std::string(id) + "\""), std::string::npos) << id;
  }
  EXPECT_NE(json_of(machine.graph, {result_of(machine.graph, "0")}).find("\"id\": 0,"), std::string::npos);
}

TEST(TrafficWriter, TsvHasTheSameColumns) {
  const topology::LoadedTopology machine = tiny();
  EXPECT_EQ(tsv_of(machine.graph, {result_of(machine.graph, "x")}),
            "id\top\tsrc\tdst\tbytes\tpath\tissue_ns\tdelivered_ns\tcompleted_ns\tstatus\n"
            "x\tpe_read\tsip0.cube0.pe0\t0x1f00\t16384\tsip0.cube0.pe0.pe_dma>sip0.cube0.hbm_ctrl.pe0\t0.5\t75."
            "000001\t77\tOK\n");
}

// The rows of a long result follow each other as those of a short one do, and no piece holds many of them.
TEST(TrafficWriter, ALongResultComesInPieces) {
  constexpr std::size_t kRows = 5000, kMaxBytes = 100'000;
  const topology::LoadedTopology machine = tiny();
  const std::vector<TrafficResult> rows(kRows, result_of(machine.graph, "12"));
  for (const bool as_json : {false, true}) {
    std::string text;
    std::size_t largest = 0;
    const auto sink = [&](std::string_view piece) {
      largest = std::max(largest, piece.size());
      text += piece;
    };
    as_json ? render_traffic_json(machine.graph, rows, sink) : render_traffic_tsv(machine.graph, rows, sink);
    EXPECT_LE(largest, kMaxBytes);
    const auto render = as_json ? json_of : tsv_of;
    const std::size_t one = render(machine.graph, {rows[0]}).size();
    const std::size_t two = render(machine.graph, {rows[0], rows[0]}).size();
    EXPECT_EQ(text.size(), one + (kRows - 1) * (two - one));
  }
}

}  // namespace
}  // namespace kb::sim
