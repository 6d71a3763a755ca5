// What the page is told of the machine and of the activity of its resources.
#include "sim/analysis/recorded/activity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "platform/base/error.h"
#include "platform/record/activity_recorder.h"
#include "sim/web/api.h"
#include "tests/unit/recorded/run_folders.h"

namespace kb::web {
namespace {

using analysis::Activity;
using analysis::RunFolder;
using analysis::Timeline;
using analysis::TimelineRow;
using analysis::Use;

using Json = nlohmann::json;
using record::Role;
using ::testing::HasSubstr;

constexpr const char* kTopology = R"({"nodes": [
  {"id": "sip0.cube9.pe0.pe_dma", "kind": "pe_dma", "label": "pe_dma", "coord": {"sip": 0, "cube": 9, "pe": 0},
   "pos_mm": [1.5, 2]},
  {"id": "sip0.cube9.pe0.pe_cpu", "kind": "pe_cpu", "label": "pe_cpu", "coord": {"sip": 0, "cube": 9, "pe": 0},
   "pos_mm": [1.5, 2]},
  {"id": "sip0.cube9.hbm_ctrl.pe0", "kind": "hbm_ctrl", "label": "hbm_ctrl", "coord": {"sip": 0, "cube": 9, "pe": 0},
   "attrs": {"num_pcs": 4}, "pos_mm": null},
  {"id": "sip0.io0.pcie_ep", "kind": "pcie_ep", "label": "pcie_ep", "coord": {"sip": 0, "io": "io0"}, "pos_mm": null}],
  "edges": [{"src": "sip0.io0.pcie_ep", "dst": "sip0.cube9.pe0.pe_dma", "kind": "pcie", "bw_gbs": 64}],
  "spec": {"sip": {"cube_mesh": {"w": 4, "h": 3}}, "cube": {"geometry": {"cube_mm": {"w": 18, "h": 14}},
           "memory_map": {"hbm_channel_bw_gbs": 32}}}})";

class ActivityTest : public analysis::test::RunFolders {
 protected:
  void SetUp() override {
    const std::vector<std::string> components = {"sip0.cube9.pe0.pe_dma", "sip0.cube9.hbm_ctrl.pe0", "sip0.io0.pcie_ep",
                                                 "sip0.cube9.pe0.pe_cpu"};
    record::ActivityRecorder recorder(4);
    // Two of four channels are used; the DMA channel is busy for the first half of its launch.
    add(recorder, {NodeId(0), Role::dma, "read", NodeId(), 0, 0, 1}, 10_ns, 35_ns, 0);
    add(recorder, {NodeId(1), Role::memory, "pc", NodeId(), 0, 0, 1}, 10_ns, 60_ns, 1600);
    add(recorder, {NodeId(1), Role::memory, "pc", NodeId(), 1, 0, 1}, 10_ns, 60_ns, 1600);
    add(recorder, {NodeId(2), Role::wire, "to", NodeId(0), 0, 0, 1}, 0_ns, 100_ns, 6400);
    add(recorder, {NodeId(3), Role::state, "dma", NodeId(), 0, 0, 1}, 10_ns, 35_ns, 0);
    recorder.launch_began(0, 7, 10_ns);
    recorder.launch_ended(0, 7, 60_ns);
    recorder.finish(100_ns);
    write_result("run", result_of());
    write("run/topology.json", kTopology);
    data::OpLog::Options options{kb::test::named_nodes(components), {}, {}};
    options.activity = &recorder;
    options.series_label = [&](const record::SeriesInfo& info) {
      if (info.role == Role::wire) return "to_" + components[info.peer.value];
      return std::string(info.name) + (info.role == Role::memory ? std::to_string(info.index) : "");
    };
    data::test::CommittedLog log(path("run/ops.sqlite"), options);
    log.record(0, data::test::record(data::OtherOp{"dma_read"}, 0, 10_ns, 35_ns, NodeId(0)));
    record_work(log);
    log.finish();
    run_ = std::make_unique<RunFolder>(path("run"));
    timeline_ = std::make_unique<Timeline>(run_->operations().names());
    api_ = std::make_unique<Api>(*run_, timeline_.get(), ready_);
  }

  static void add(record::ActivityRecorder& recorder, const record::SeriesInfo& info, TimeFs begin, TimeFs end,
                  std::uint64_t bytes) {
    recorder.add_series(info).add({begin, end, end - begin, 8_ns, bytes, 3});
  }
  // A product, a tile of another, a sum of rows, and one of a launch that came before.
  static void record_work(data::test::CommittedLog& log) {
    using data::test::at;
    const OperandRef a = at(0x1000, {8, 4}, Dtype::f16), b = at(0x2000, {4, 2}, Dtype::f16);
    const data::GemmOp product{a, b, at(0x3000, {8, 2}, Dtype::f16), Dtype::f32};
    const data::MathOpRecord sum{MathOp::sum, {a}, at(0x3000, {8}, Dtype::f16), -1};
    plan::Stage stage;
    stage.type = plan::stage_type_of(engine::EngineId::gemm);
    stage.m = stage.k = stage.n = 3;
    stage.macs = 64;
    log.record(1, data::test::record(product, 1, 35_ns, 45_ns, NodeId(3)));
    log.record(2, data::test::record(data::TileOp{stage}, 2, 45_ns, 50_ns, NodeId(3)));
    log.record(3, data::test::record(sum, 3, 50_ns, 52_ns, NodeId(3)));
    log.record(4, data::test::record(product, 4, 1_ns, 2_ns, NodeId(3)));
    // A message to another PE. Its receive is the last of its steps.
    using data::CopyName;
    const auto message = [](CopyName name, std::uint64_t from, std::uint64_t to, const char* direction) {
      return data::CopyOp{name, {{from, 64}}, {{to, 64}}, direction, 5};
    };
    log.record(5, data::test::record(message(CopyName::ipcq_send, 0x10, 0x20, "E"), 5, 11_ns, 11_ns, NodeId(0)));
    log.record(6, data::test::record(message(CopyName::ipcq_copy, 0x20, 0x30, "W"), 6, 20_ns, 21_ns, NodeId(3)));
    log.record(7, data::test::record(message(CopyName::ipcq_recv, 0x30, 0x40, "W"), 7, 15_ns, 22_ns, NodeId(3)));
  }
  Json json(const std::string& path, std::multimap<std::string, std::string> parameters, int status = 200) const {
    const HttpResponse response = api_->answer({path, std::move(parameters)});
    EXPECT_EQ(response.status, status) << response.body;
    return Json::parse(response.body);
  }
  // The launch.
  static std::multimap<std::string, std::string> launch(std::multimap<std::string, std::string> more = {}) {
    more.insert({{"t0", "10000000"}, {"t1", "60000000"}});
    return more;
  }

  std::unique_ptr<RunFolder> run_;
  std::unique_ptr<Timeline> timeline_;
  std::atomic<bool> ready_{true};
  std::unique_ptr<Api> api_;
};

TEST_F(ActivityTest, OfALaunchAndOfAPieceOfIt) {
  const Json all = json("/api/activity", launch({{"sort", "used"}}));
  ASSERT_EQ(all["total"], 4) << "states are no resources";
  const Json dma = json("/api/activity", launch({{"kind", "dma"}}))["rows"][0];
  EXPECT_EQ(dma, Json::parse(R"(["sip0.cube9.pe0.pe_dma", "dma", "read", 0.5, 25, 0, 8, 3, 0, ""])"));
  const Json wire = json("/api/activity", launch({{"kind", "wire"}}))["rows"][0];
  EXPECT_DOUBLE_EQ(wire[3].get<double>(), 1.0);
  EXPECT_EQ(wire[9], "sip0.cube9.pe0.pe_dma") << "its other end";
  EXPECT_DOUBLE_EQ(wire[5].get<double>(), 3200);
  EXPECT_EQ(wire[8], 64) << "GB/s of the topology";
  EXPECT_EQ(json("/api/activity", launch({{"kind", "state"}}))["rows"][0][4], 25);
  const Json early = json("/api/activity", {{"t0", "10000000"}, {"t1", "20000000"}, {"kind", "memory"}});
  EXPECT_NEAR(early["rows"][0][5].get<double>(), 320, 1);
}

TEST_F(ActivityTest, PiecesAddUpToTheWhole) {
  const Activity& activity = run_->activity();
  const std::int64_t end = (100_ns).fs();
  const std::vector<Use> whole = activity.uses(0, end);
  std::vector<Use> sum(whole.size());
  for (std::int64_t at = 0; at < end; at += 7'000'003) {
    const std::vector<Use> part = activity.uses(at, std::min(end, at + 7'000'003));
    for (std::size_t i = 0; i < part.size(); ++i) {
      sum[i].busy_fs += part[i].busy_fs;
      sum[i].bytes += part[i].bytes;
      sum[i].wait_fs += part[i].wait_fs;
    }
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_NEAR(sum[i].busy_fs, whole[i].busy_fs, 1);
    EXPECT_NEAR(sum[i].bytes, whole[i].bytes, 1e-3);
    EXPECT_NEAR(sum[i].wait_fs, whole[i].wait_fs, 1);
  }
}

TEST_F(ActivityTest, ChannelsThatAreNeverUsedCountAsIdle) {
  const Json cells = json("/api/cells", launch());
  EXPECT_EQ(cells["wires"][0][0], "sip0.io0.pcie_ep") << "a wire between chiplets";
  EXPECT_EQ(cells["wires"][0][6], 3) << "its longest queue";
  for (const Json& cell : cells["cells"]) {
    EXPECT_EQ(cell[0], "sip0.cube9.pe0") << "its HBM slice belongs to a PE";
    EXPECT_EQ(cell[6], 3) << "the longest queue";
    if (cell[1] != "memory") continue;
    EXPECT_DOUBLE_EQ(cell[2].get<double>(), 0.5);
    EXPECT_DOUBLE_EQ(cell[3].get<double>(), 1.0);
  }
  EXPECT_EQ(cells["cells"].size(), 2u);
}

TEST_F(ActivityTest, ResourcesOfOnePurposeTogether) {
  const Json classes = json("/api/classes", launch());
  ASSERT_EQ(classes.size(), 3u);
  EXPECT_EQ(classes[0][0], "sip*.cube*.hbm_ctrl.pe* pc*");
  EXPECT_EQ(classes[0][2], 2);
  EXPECT_EQ(classes[2][0], "sip*.io*.pcie_ep > sip*.cube*.pe*.pe_dma");
  EXPECT_EQ(json("/api/activity", launch({{"like", "sip*.cube*.hbm_ctrl.pe* pc*"}}))["total"], 2);
}

TEST_F(ActivityTest, TheProfileOfAWindow) {
  const Json profile = json("/api/profile", launch({{"px", "2"}}));
  const double first = profile["dma"][0].get<double>(), second = profile["dma"][1].get<double>();
  EXPECT_NEAR(first + second, 1, 0.001) << "half of the launch";
  EXPECT_GT(first, 0.8) << "the first one, as exact as a bin of 17 ns";
  EXPECT_NEAR(profile["wire"][1].get<double>(), 1, 0.01);
  EXPECT_EQ(json("/api/profile", launch({{"px", "1"}, {"under", "sip0.cube9.pe0"}}))["memory"][0], 1);
  EXPECT_EQ(json("/api/profile", launch({{"px", "1"}, {"under", "sip0.cube9.pe00"}}))["memory"][0], 0);
}

TEST_F(ActivityTest, TheMachine) {
  const Json machine = json("/api/machine", {});
  EXPECT_EQ(machine["mesh"], Json::parse("[4, 3]"));
  EXPECT_EQ(machine["pes"], Json::parse(R"([[0, 1.5, 2]])"));
  EXPECT_EQ(machine["wires"].size(), 1u);
  EXPECT_EQ(machine["engines"][0]["name"], "gemm");
  EXPECT_TRUE(machine["engines"][0]["rate"].is_null());
  EXPECT_EQ(json("/api/machine", {{"under", "sip0.cube9"}})["nodes"].size(), 3u);
  EXPECT_EQ(json("/api/machine", {{"under", "sip0.cube"}})["nodes"].size(), 0u);
}

TEST_F(ActivityTest, TheNodesAndTheirParts) {
  EXPECT_EQ(json("/api/nodes", {}), Json::parse(R"({
    "parts": [["sip0", "sip0", "sip", 0, -1, 0], ["sip0.cube9", "cube9", "cube", 9, 0, 0],
              ["sip0.cube9.pe0", "pe0", "pe", 0, 1, 1], ["sip0.io0", "io0", "io", -1, 0, 2]],
    "lists": [[], [["pe_dma", "pe_dma"], ["pe_cpu", "pe_cpu"]], [["pcie_ep", "pcie_ep"]]],
    "others": [["sip0.cube9.hbm_ctrl.pe0", "hbm_ctrl", "hbm_ctrl", 2]]})"));
}

TEST_F(ActivityTest, AMachineWithoutCoordinatesIsToBePrintedAgain) {
  write_result("old", result_of());
  write("old/topology.json", R"({"nodes": [{"id": "sip0.cube9.pe0.pe_dma", "kind": "pe_dma"}], "edges": []})");
  try {
    RunFolder run(path("old"));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("old/topology.json: an older kernbench wrote it"));
    EXPECT_THAT(error.what(), HasSubstr("run it again with --record DIR"));
  }
}

TEST_F(ActivityTest, AWrongRequestSaysWhy) {
  const auto refused = [&](const std::string& path, std::multimap<std::string, std::string> parameters) {
    return json(path, std::move(parameters), 400)["error"].get<std::string>();
  };
  EXPECT_THAT(refused("/api/activity", {}), HasSubstr("t0 is missing"));
  EXPECT_THAT(refused("/api/activity", {{"t0", "9"}, {"t1", "9"}}), HasSubstr("end after its begin"));
  EXPECT_THAT(refused("/api/activity", launch({{"sort", "colour"}})), HasSubstr("sort has to be"));
  EXPECT_THAT(refused("/api/activity", launch({{"limit", "0"}})), HasSubstr("limit"));
  EXPECT_THAT(refused("/api/profile", launch({{"px", "100000"}})), HasSubstr("px"));
}

TEST_F(ActivityTest, WorkByKindOfOperation) {
  const Json work = json("/api/work", launch({{"under", "sip0"}}));
  EXPECT_EQ(work["pes"], 1);
  // HBM: both channels, of four with 32 GB/s. PCIe: half of 6400 bytes lie in the launch; one wire of 64 GB/s.
  EXPECT_EQ(work["levels"], Json::parse(R"([["HBM", 3200.0, 128.0], ["PCIe", 3200.0, 64.0]])"));
  // Number, count, busy ns, MACs, those of elements that exist, elements.
  EXPECT_EQ(work["operations"], Json::parse("[[1, 1, 10, 64, 64, 0], [2, 1, 5, 64, 27, 0], [3, 1, 2, 0, 0, 32]]"));
  // Name, operations, those with padding, peak: twice 64 and 27 MACs, the file has no rate.
  EXPECT_EQ(work["engines"], Json::parse(R"([["gemm", 182.0, 256.0, 0.0], ["math", 32.0, 32.0, 0.0]])"));
  const Json quick = json("/api/work", launch({{"under", "sip0"}, {"only", "resources"}}));
  EXPECT_EQ(quick["operations"], Json::array());
  EXPECT_EQ(quick["levels"], work["levels"]);
  EXPECT_EQ(json("/api/work", launch({{"under", "sip0.cube9.pe0"}}))["levels"][0], work["levels"][0]) << "its slice";
  EXPECT_EQ(json("/api/work", launch({{"under", "sip0.io0"}}))["operations"].size(), 0u);
  EXPECT_EQ(json("/api/work", launch({{"under", "sip1"}}))["operations"].size(), 0u);
}

TEST_F(ActivityTest, OperationsNameTheirEngine) {
  std::map<std::string, std::string> engine;
  const Json rows = json("/api/rows", {});
  for (const Json& operation : rows["operations"]) engine[operation[1]] = operation[2];
  EXPECT_EQ(engine["gemm_f16"], "gemm");
  EXPECT_EQ(engine["TileToken/GEMM"], "gemm") << "a tile of a composite";
  EXPECT_EQ(engine["sum"], "math");
  EXPECT_EQ(engine["dma_read"], "") << "of no engine";
}

TEST_F(ActivityTest, MessagesWithTheirTimes) {
  const Json messages = json("/api/messages", launch());
  EXPECT_EQ(messages["all"], true);
  EXPECT_EQ(messages["messages"],
            Json::parse(R"([["sip0.cube9.pe0", "sip0.cube9.pe0", 64, "E", 1000000, 11000000, 5000000, 12000000]])"));
  EXPECT_EQ(json("/api/messages", {{"t0", "16000000"}, {"t1", "60000000"}})["messages"][0][0], nullptr);
}

TEST_F(ActivityTest, AnotherRunToCompareWith) {
  EXPECT_TRUE(json("/api/compare", {}).is_null());
  EXPECT_EQ(api_->answer({"/api/classes", launch({{"run", "against"}})}).status, 400);
  for (const std::string name : {"run", "other"}) {
    result::Result result = result_of({RunFolders::launch(3, 1_ns, 2_ns, name == "run" ? 5_ns : 9_ns)});
    result.findings.emplace_back().rule = name;
    write_result(name, result);
  }
  const ComparisonRun other(path("other"), *run_, path("run"));
  EXPECT_EQ(other.other_machine(), "");
  const Api with(*run_, timeline_.get(), ready_, &other);
  const Json comparison = Json::parse(with.answer({"/api/compare", {}}).body);
  EXPECT_EQ(comparison["total"]["before"], 8);
  EXPECT_EQ(comparison["total"]["after"], 4);
  EXPECT_EQ(Json::parse(with.answer({"/api/run", {{"run", "against"}}}).body)["findings"][0]["rule"], "other");
  EXPECT_EQ(Json::parse(with.answer({"/api/classes", launch({{"run", "against"}})}).body).size(), 0u);
  EXPECT_EQ(Json::parse(with.answer({"/api/classes", launch()}).body).size(), 3u);
  EXPECT_THROW(ComparisonRun(path("nowhere"), *run_, path("run")), Error);
}

TEST_F(ActivityTest, ARunOfAnotherMachineIsSaidToBeOne) {
  const auto with_file = [](const std::string& file) {
    result::Result result = result_of();
    result.setup.topology.file = file;
    return result;
  };
  write_result("a", with_file("one.yaml"));
  write_result("b", with_file("two.yaml"));
  write("b/topology.json", kTopology);
  const RunFolder b(path("b"));
  const ComparisonRun different(path("a"), b, path("b"));
  EXPECT_THAT(different.other_machine(), HasSubstr("A on one.yaml, B on two.yaml (1 PE)"));
  EXPECT_EQ(Json::parse(different.comparison())["other_machine"], different.other_machine());
  write_result("a", with_file("two.yaml"));
  EXPECT_EQ(ComparisonRun(path("a"), b, path("b")).other_machine(), "")
      << "a machine that is not known is not another one";
  std::string smaller = kTopology;
  smaller.replace(smaller.find("pe_cpu\", \"kind\": \"pe_cpu"), 24, "pe_cpu\", \"kind\": \"pe_gpu");
  write("a/topology.json", smaller);
  EXPECT_THAT(ComparisonRun(path("a"), b, path("b")).other_machine(),
              HasSubstr("A on two.yaml (0 PEs), B on two.yaml (1 PE)"));
}

TEST_F(ActivityTest, ResourcesAsATable) {
  const Json page = json("/api/activity", launch({{"sort", "bytes"}, {"offset", "1"}, {"limit", "2"}}));
  EXPECT_EQ(page["total"], 4);
  EXPECT_EQ(page["rows"].size(), 2u);
  EXPECT_EQ(page["rows"][0][1], "memory");
  EXPECT_EQ(json("/api/activity", launch({{"sort", "bytes"}, {"order", "asc"}}))["rows"][0][1], "dma");
  EXPECT_EQ(json("/api/activity", launch({{"sort", "name"}, {"order", "asc"}}))["rows"][0][2], "pc0");
  EXPECT_EQ(json("/api/activity", launch({{"name", "*pcie_ep"}}))["total"], 1);
  EXPECT_EQ(json("/api/activity", launch({{"name", "PE_DMA"}}))["total"], 2) << "its wire leads there";
  const HttpResponse csv = api_->answer({"/api/activity.csv", launch({{"kind", "dma"}})});
  EXPECT_EQ(csv.body,
            "component,kind,name,share,busy_ns,bytes,wait_ns,queue,gbs\n"
            "\"sip0.cube9.pe0.pe_dma\",\"dma\",\"read\",0.5,25,0,8,3,0\n");
}

TEST_F(ActivityTest, StatesOfPesOverTime) {
  const auto row = [&](const std::string& name) {
    const auto& rows = timeline_->rows();
    const auto at = std::find_if(rows.begin(), rows.end(), [&](const TimelineRow& one) { return one.name == name; });
    return std::to_string(at - rows.begin());
  };
  const std::string pe = row("sip0.cube9.pe0");
  const HttpResponse response =
      api_->answer({"/api/states", launch({{"px", "5"}, {"rows", pe + "," + row("sip0.cube9")}})});
  const std::size_t end = response.body.find('\n');
  const Json head = Json::parse(response.body.substr(0, end));
  EXPECT_EQ(head["columns"], 5);
  ASSERT_EQ(head["strips"].size(), 2u) << "of the PE and of its cube";
  EXPECT_EQ(head["strips"][0], Json::parse("[" + pe + ", \"dma\"]"));
  ASSERT_EQ(response.body.size(), end + 1 + 10);
  int sum = 0;
  for (int i = 0; i < 5; ++i) sum += static_cast<unsigned char>(response.body[end + 1 + static_cast<std::size_t>(i)]);
  EXPECT_NEAR(sum, 255 * 5 / 2, 2) << "half of the launch";
  const HttpResponse named = api_->answer({"/api/states", launch({{"px", "5"}, {"nodes", "sip0"}})});
  EXPECT_THAT(named.body, HasSubstr(R"("strips":[[0,"dma"]])"));
  EXPECT_THAT(json("/api/states", launch({{"px", "5"}, {"rows", "999"}}), 400)["error"].get<std::string>(),
              HasSubstr("no row 999"));
}

TEST(Activity, DamagedBinsAreRefused) {
  data::ActivityTables tables;
  tables.epochs.push_back({0, 1, 0, 1'000, 10});
  tables.series.push_back({"a", "wire", "to_b", 1});
  const auto with = [&](std::string bins) {
    data::ActivityTables all = tables;
    all.rows.push_back({0, 0, 1, 0, 0, 0, std::move(bins)});
    return Activity(std::move(all));
  };
  EXPECT_EQ(with({3, 10, 0, 0, 0}).uses(30, 35)[0].busy_fs, 5);
  EXPECT_THROW(with({3, 10, 0, 0}), Error) << "cut off";
  EXPECT_THROW(with(std::string(12, '\xff')), Error) << "a number without an end";
  tables.epochs[0].bin_fs = std::int64_t{1} << 62;
  EXPECT_THROW(with({3, 10, 0, 0, 0}), Error) << "beyond all times";
}

}  // namespace
}  // namespace kb::web
