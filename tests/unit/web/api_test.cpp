// What the page is told.
#include "sim/web/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/unit/recorded/known_why.h"
#include "tests/unit/recorded/run_folders.h"

namespace kb::web {
namespace {

using analysis::RunFolder;
using analysis::Timeline;

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ApiTest : public analysis::test::RunFolders {
 protected:
  void SetUp() override {
    result::Result result = result_of({launch(3, 1'000'001_fs, 2_ns, 1000.5_ns)});
    result.launches[0].kernel = "=1+\"x\"";
    result.findings.emplace_back().headline = "one";
    result.setup.config = {{"a.key", {{"1"}, "file"}}};
    write_result("run", result);
    write_ops("run/ops.sqlite", analysis::test::known_ops(1000, 3), statements());
    run_ = std::make_unique<RunFolder>(path("run"));
    timeline_ = std::make_unique<Timeline>(run_->operations().names());
    const std::atomic<bool> stop{false};
    timeline_->load(run_->operations_file(), run_->operations().end_seq(), stop);
    api_ = std::make_unique<Api>(*run_, timeline_.get(), ready_);
  }
  virtual std::string statements() const { return ""; }
  HttpResponse get(const std::string& path, const std::multimap<std::string, std::string>& parameters = {}) const {
    return api_->answer({path, parameters});
  }
  Json json(const std::string& path, const std::multimap<std::string, std::string>& parameters = {}) const {
    const HttpResponse response = get(path, parameters);
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body);
  }

  std::unique_ptr<RunFolder> run_;
  std::unique_ptr<Timeline> timeline_;
  std::atomic<bool> ready_{true};
  std::unique_ptr<Api> api_;
};

TEST_F(ApiTest, TheRunWithoutWhatIsLarge) {
  const Json run = json("/api/run");
  EXPECT_EQ(run["folder"], "run");
  EXPECT_EQ(run["launches"][0]["submit_fs"], "1000001");
  EXPECT_EQ(run["launches"][0]["completed_fs"], "1000500000");
  EXPECT_EQ(run["findings"][0]["headline"], "one");
  EXPECT_EQ(run["launch_count"], 1);
  EXPECT_TRUE(run["config"].empty());
}

// A ladder that is written while the page is open is there after a reload. H-82w.
TEST_F(ApiTest, TheLadderOfTheRun) {
  result::Result result = result_of();
  analysis::test::explain(result);
  write_result("explained", result);
  write("explained/inputs.json", result::render(analysis::test::known_inputs()));
  RunFolder folder(path("explained"));
  const Api api(folder, nullptr, ready_);
  const auto run = [&] { return Json::parse(api.answer({"/api/run", {}}).body); };
  EXPECT_FALSE(run().contains("why"));
  EXPECT_FALSE(run().contains("why_problem"));
  write("explained/why/why.json", result::render(analysis::test::known_why()));
  EXPECT_EQ(run()["why"], Json::parse(result::render(analysis::test::known_why())));
  write("explained/why/why.json", "{");
  EXPECT_FALSE(run().contains("why"));
  EXPECT_THAT(run()["why_problem"].get<std::string>(), StartsWith("why/why.json:1:2: is not JSON"));
  EXPECT_FALSE(run().contains("tornado"));
  write("explained/why/tornado.json", result::render(analysis::test::known_tornado()));
  EXPECT_EQ(run()["tornado"], Json::parse(result::render(analysis::test::known_tornado())));
}

// The page has no names of its own for these.
TEST_F(ApiTest, WordsOfPartsResourcesKindsAndLevels) {
  const Json words = json("/api/words");
  const auto names = [&](const char* list) {
    std::string text;
    for (const Json& word : words[list]) text += word["name"].get<std::string>() + " ";
    return text;
  };
  std::map<std::string, std::string> role;
  for (const Json& part : words["parts"]) role[part["name"]] = part["role"];
  EXPECT_EQ(role["gemm"], "engine");
  EXPECT_EQ(role["math"], "engine");
  EXPECT_EQ(role["scalar"], "kernel");
  EXPECT_EQ(role["dependency"], "kernel");
  for (const char* outside : {"delivery", "barrier", "completion"}) EXPECT_EQ(role[outside], "launch");
  EXPECT_EQ(names("kinds"), "wire decoder memory engine dma tcm queue buffer command ") << "a state is no resource";
  EXPECT_EQ(names("levels"), "HBM SRAM TCM link UCIe PCIe ");
  EXPECT_EQ(names("energy"), "hbm routers wires ucie pcie sram tcm gemm math control ");
  EXPECT_THAT(names("resources"), HasSubstr("read_link"));
  EXPECT_EQ(words["kinds"][2]["label"], "memory channels");
}

TEST_F(ApiTest, TheChainCoversTheWindow) {
  const Json chain = json("/api/chain", {{"t0", "0"}, {"t1", "2100000000"}, {"pe", "sip0.cube9.pe0"}});
  EXPECT_EQ(chain["all"], true);
  ASSERT_EQ(chain["stays"].size(), 1u) << "nobody sent a message";
  const Json& stay = chain["stays"][0];
  std::int64_t sum = stay[3].get<std::int64_t>();
  for (const Json& part : stay[4]) {
    EXPECT_NE(part[0], "sip0.cube9.pe0.pe_scheduler") << "a composite spans what its engines do";
    sum += part[2].get<std::int64_t>();
  }
  EXPECT_EQ(sum, 2'100'000'000);
  EXPECT_THAT(get("/api/chain", {{"t0", "0"}, {"t1", "9"}, {"pe", "nobody"}}).body, HasSubstr("no PE 'nobody'"));
  EXPECT_EQ(json("/api/related", {{"seq", "1"}}), Json::array()) << "no tile";
  EXPECT_THAT(get("/api/route", {{"seq", "1"}}).body, HasSubstr("the machine is unknown"));
}

TEST_F(ApiTest, ATileIsALineOfJsonAndColumns) {
  const std::string body = get("/api/tiles", {{"t0", "0"}, {"t1", "2100000000"}, {"px", "50"}, {"rows", "4,0"}}).body;
  const std::size_t end = body.find('\n') + 1;
  const Json head = Json::parse(body.substr(0, end));
  const std::size_t buckets = head["rows"].get<std::size_t>() * head["columns"].get<std::size_t>();
  const auto padded = [](std::size_t bytes) { return (bytes + 7) / 8 * 8; };
  ASSERT_EQ(end % 8, 0u);
  ASSERT_EQ(head["ops"], 200);
  const std::size_t columns = end + 2 * padded(buckets * 4) + padded(buckets * 2);
  ASSERT_EQ(body.size(), columns + 200 * 16 + padded(200 * 4) + 2 * padded(200 * 2));
  const std::int64_t width = std::stoll(head["width_fs"].get<std::string>());
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < buckets; ++i) {
    float share = 0;
    std::uint32_t begins = 0;
    std::memcpy(&share, &body[end + 4 * i], 4);
    std::memcpy(&begins, &body[end + padded(4 * buckets) + 4 * i], 4);
    EXPECT_LE(share, 1.0F);
    count += begins;
  }
  EXPECT_LE(width, 2'100'000'000 / 50);
  EXPECT_EQ(count, 200u + 800u);
  for (std::size_t i = 0; i < 200; ++i) {
    double start = 0, end_time = 0;
    std::uint32_t seq = 0;
    std::memcpy(&start, &body[columns + 8 * i], 8);
    std::memcpy(&end_time, &body[columns + 1600 + 8 * i], 8);
    std::memcpy(&seq, &body[columns + 3200 + 4 * i], 4);
    const analysis::test::KnownOp known = analysis::test::known_ops(1000, 3)[seq];
    const std::int64_t origin = std::stoll(head["first_fs"].get<std::string>());
    EXPECT_EQ(origin + static_cast<std::int64_t>(start), known.start_fs);
    EXPECT_EQ(origin + static_cast<std::int64_t>(end_time), known.end_fs);
  }
}

TEST_F(ApiTest, OperationsAreSortedFilteredAndPaged) {
  const Json longest = json("/api/ops", {{"sort", "duration"}, {"order", "desc"}, {"limit", "1000"}});
  EXPECT_EQ(longest["total"], 1000);
  std::int64_t last = INT64_MAX;
  for (const Json& row : longest["rows"]) {
    const std::int64_t time =
        std::stoll(row["end_fs"].get<std::string>()) - std::stoll(row["start_fs"].get<std::string>());
    EXPECT_LE(time, last);
    last = time;
  }
  EXPECT_EQ(json("/api/ops", {{"component", "cube9.pe0.pe_dma"}})["total"], 200);
  EXPECT_EQ(json("/api/ops", {{"component", "SIP0.*.PE_DMA"}})["total"], 400);
  EXPECT_EQ(json("/api/ops", {{"component", "nothing"}})["total"], 0);
  EXPECT_EQ(json("/api/ops", {{"name", "markup"}})["total"], 333);
  EXPECT_EQ(json("/api/ops", {{"name", "' OR 1=1 --"}})["total"], 0);
  const Json page = json("/api/ops", {{"offset", "995"}, {"limit", "10"}});
  EXPECT_EQ(page["rows"].size(), 5u);
  EXPECT_EQ(page["rows"][0]["seq"], 995);
  EXPECT_EQ(json("/api/op", {{"seq", "2"}})["name"], "<b>markup</b>");
  const Json in_window = json("/api/ops", {{"t0", "1000000000"}, {"t1", "1000000001"}});
  for (const Json& row : in_window["rows"]) {
    EXPECT_LE(std::stoll(row["start_fs"].get<std::string>()), 1'000'000'000);
    EXPECT_GT(std::stoll(row["end_fs"].get<std::string>()), 1'000'000'000);
  }
}

class ApiLinesTest : public ApiTest {
 protected:
  std::string statements() const override { return analysis::test::kKnownLines; }
};

TEST_F(ApiLinesTest, LinesOfALaunchAndOfAllLaunches) {
  const Json one = json("/api/kernel", {{"launch", "3"}});
  EXPECT_EQ(one["times"], Json::parse(R"([[2, 1, "dma", 5, 9], [3, 3, "gemm", 4, 8]])"));
  EXPECT_EQ(one["uses"], Json::parse(R"([[1, "dma", 2, 0, 128, "", 0], [1, "memory", 1, 7, 64, "sip0.a.pc0", 6]])"));
  EXPECT_EQ(one["places"], Json::parse(R"([[1, "a/k.cpp", 7, "load_async", "layer 1 / gather", "x"],
                                           [2, "a/k.cpp", 8, "wait", "layer 1", ""], [3, "a/k.cpp", 9, "dot", "", ""]])"))
      << "only those that it has";
  EXPECT_EQ(one["sources"], Json::parse(R"([["a/k.cpp", "one\n<b>two</b>\n"]])"));
  const Json all = json("/api/kernel", {{"kernel", "k"}});
  EXPECT_EQ(all["times"], Json::parse(R"([[2, 1, "dma", 5.5, 10], [3, 3, "gemm", 4, 8]])"));
  EXPECT_EQ(all["uses"][1], Json::parse(R"([1, "memory", 2, 16, 128, "sip0.a.pc1", 8])")) << "the longest wait";
  EXPECT_EQ(json("/api/kernel", {{"kernel", "' OR 1=1 --"}})["times"], Json::array());
  EXPECT_THAT(get("/api/kernel").body, HasSubstr("launch or kernel is missing"));
}

// What a record names as a file is looked up in its own table and never opened.
TEST_F(ApiLinesTest, NoSourceIsReadFromAFile) {
  write("run/a/secret.cpp", "secret");
  std::string lines = analysis::test::kKnownLines;
  for (std::size_t at = 0; (at = lines.find("a/k.cpp', ", at)) != std::string::npos;) {
    lines.replace(at, 7, path("run/a/secret.cpp"));
    at += 1;
  }
  lines += "DELETE FROM source;";
  write_result("other", result_of({launch(3, 0_fs, 2_ns, 1000.5_ns)}));
  write_ops("other/ops.sqlite", analysis::test::known_ops(10, 3), lines);
  RunFolder other(path("other"));
  const Timeline timeline(other.operations().names());
  const HttpResponse response = Api(other, &timeline, ready_).answer({"/api/kernel", {{"launch", "3"}}});
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, HasSubstr("secret.cpp"));
  EXPECT_EQ(Json::parse(response.body)["sources"], Json::array());
}

TEST_F(ApiLinesTest, OperationsHaveTheirLine) {
  const Json found = json("/api/ops", {{"line", "a/k.cpp:7"}});
  EXPECT_EQ(found["total"], 3);
  EXPECT_EQ(found["rows"][2]["place"], Json::parse(R"([1, "a/k.cpp", 7, "load_async", "layer 1 / gather", "x"])"));
  EXPECT_FALSE(json("/api/ops", {{"offset", "3"}})["rows"][0].contains("place"));
  EXPECT_EQ(json("/api/ops", {{"line", "a/k.cpp:8"}})["total"], 0) << "a wait is no operation";
  EXPECT_EQ(json("/api/ops", {{"line", "nothing"}})["total"], 0);
  EXPECT_EQ(json("/api/op", {{"seq", "1"}})["place"][2], 7);
}

TEST_F(ApiTest, ALogOfOperationsAloneHasNoLines) {
  write_result("bare", result_of({launch(3, 0_fs, 2_ns, 1000.5_ns)}));
  write_ops("bare/ops.sqlite", analysis::test::known_ops(10, 3));
  RunFolder bare(path("bare"));
  const Timeline timeline(bare.operations().names());
  const HttpResponse response = Api(bare, &timeline, ready_).answer({"/api/kernel", {{"launch", "3"}}});
  EXPECT_EQ(Json::parse(response.body), Json::parse(R"({"places": [], "times": [], "uses": [], "sources": []})"));
}

TEST_F(ApiTest, CsvHasEveryRowAndNoFormula) {
  HttpResponse response = get("/api/ops.csv", {{"component", "pe_dma"}, {"sort", "duration"}, {"offset", "7"}});
  std::string csv, piece;
  for (bool more = true; more; csv += piece) {
    piece.clear();
    more = response.next_piece(piece);
  }
  EXPECT_THAT(csv, StartsWith("seq,start_ns,end_ns,duration_ns,component,kind,name\n0,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 401);
  EXPECT_EQ(response.file_name, "operations.csv");
  EXPECT_THAT(get("/api/launches.csv").body, HasSubstr("\n3,\"'=1+\"\"x\"\"\",0,true,1.000001,2,1000.5,"));
}

TEST_F(ApiTest, AWrongRequestSaysWhy) {
  const auto refused = [&](int status, const std::string& path,
                           const std::multimap<std::string, std::string>& parameters) {
    const HttpResponse response = get(path, parameters);
    EXPECT_EQ(response.status, status) << path;
    EXPECT_TRUE(Json::parse(response.body)["error"].is_string());
    return Json::parse(response.body)["error"].get<std::string>();
  };
  EXPECT_THAT(refused(404, "/../etc/passwd", {}), HasSubstr("no such page"));
  EXPECT_THAT(refused(404, "/result.json", {}), HasSubstr("no such page"));
  EXPECT_THAT(refused(400, "/api/tiles", {}), HasSubstr("t0 is missing"));
  EXPECT_THAT(refused(400, "/api/tiles", {{"t0", "0"}, {"t1", "9"}, {"px", "5"}, {"rows", "0,-1"}}),
              HasSubstr("no row -1"));
  EXPECT_THAT(refused(400, "/api/tiles", {{"t0", "0"}, {"t1", "9"}, {"px", "5"}, {"rows", ""}}),
              HasSubstr("whole number"));
  EXPECT_THAT(refused(400, "/api/ops", {{"sort", "seq; DROP TABLE op"}}), HasSubstr("sort has to be"));
  EXPECT_THAT(refused(400, "/api/ops", {{"limit", "1000000"}}), HasSubstr("limit"));
  EXPECT_THAT(refused(400, "/api/ops", {{"offset", "-1"}}), HasSubstr("offset"));
  EXPECT_THAT(refused(404, "/api/op", {{"seq", "5000"}}), HasSubstr("no such operation"));
  ready_ = false;
  EXPECT_THAT(refused(503, "/api/tiles", {{"t0", "0"}, {"t1", "9"}, {"px", "5"}, {"rows", "0"}}),
              HasSubstr("being read"));
}

TEST_F(ApiTest, WithoutOperationsTheRestIsThere) {
  const Api without(*run_, nullptr, ready_);
  EXPECT_EQ(without.answer({"/api/run", {}}).status, 200);
  EXPECT_THAT(without.answer({"/api/rows", {}}).body, HasSubstr("--record DIR"));
}

}  // namespace
}  // namespace kb::web
