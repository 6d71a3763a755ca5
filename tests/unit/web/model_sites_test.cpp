// What `kernbench web` shows of served requests (H-82y) and of a step of a model (H-82z), also of files that are
// damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "platform/base/error.h"
#include "sim/study/requests/result_files.h"
#include "sim/web/site.h"
#include "tests/unit/recorded/run_folders.h"

namespace kb::web {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ModelSitesTest : public analysis::test::RunFolders {
 protected:
  std::unique_ptr<Site> site(const std::string& place, const std::string& against = "") const {
    SiteOptions options;
    options.place = path(place);
    if (!against.empty()) options.against = path(against);
    return make_site(options);
  }
  std::string refused(const std::string& place, const std::string& against = "") const {
    try {
      site(place, against);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  static Json json(Site& site, const std::string& path, int status = 200,
                   std::multimap<std::string, std::string> parameters = {}) {
    const HttpResponse response = site.answer({path, std::move(parameters)});
    EXPECT_EQ(response.status, status) << response.body;
    return Json::parse(response.body);
  }

  static Json distribution() { return {{"mean", 1}, {"p50", 1}, {"p90", 1}, {"p95", 1}, {"p99", 1}, {"most", 1}}; }
  static Json setup() {
    return {{"program", "kernbench"},
            {"version", "1"},
            {"trace", "t.jsonl"},
            {"trace_format", "LLMServingSim"},
            {"profile", "p"},
            {"model", "m"},
            {"hardware", "h"},
            {"tp", 1},
            {"policy", {{"blocks", 100}, {"block_size", 16}, {"max_seqs", 8}, {"max_tokens", 64}}},
            {"requests", 1},
            {"skipped", 0},
            {"warnings", Json::array()},
            {"abstractions", Json::array({"the network takes no time"})}};
  }
  static Json summary() {
    Json all = setup();
    for (const char* name : {"ttft_ns", "tpot_ns", "itl_ns", "latency_ns", "queuing_ns"}) all[name] = distribution();
    for (const char* name :
         {"seconds", "requests_per_s", "input_tokens_per_s", "output_tokens_per_s", "steps", "busy_ns", "input_tokens",
          "recomputed_tokens", "preemptions", "prefix_hit_tokens", "waiting_most"}) {
      all[name] = 1;
    }
    all["running"] = all["blocks_used"] = {{"mean", 1}, {"most", 1}};
    return all;
  }
  static Json rate_summary() {
    Json all = setup(), rate;
    for (const char* name : {"rate_per_s", "requests_per_s", "output_tokens_per_s", "ttft_p50_ns", "ttft_p99_ns",
                             "tpot_mean_ns", "latency_mean_ns", "latency_p50_ns", "latency_p99_ns", "preemptions"}) {
      rate[name] = 2;
    }
    all["rates"] = Json::array({rate});
    all["knee_rate_per_s"] = nullptr;
    return all;
  }
  // The first lines are those of the program.
  static std::string request_table(const std::string& rows) {
    std::string text;
    requests::RequestRows("m", [&](std::string_view piece) { text += piece; });
    return text + rows;
  }
  static constexpr const char* kRow = "0,7,m,4,3,1000,97000,96000,0,33000,31500,\"[36000, 27000]\"\n";
  void write_served(const std::string& folder) const {
    fs::create_directories(path(folder));
    write(folder + "/summary.json", summary().dump());
    write(folder + "/requests.csv", request_table(kRow));
    write(folder + "/timeline.csv", requests::second_columns(false) + "1,6,4,0,0,12.50\n");
  }
  // The answer for a folder in which one file has another text.
  Json with(const std::string& file, const std::string& text) const {
    write_served("r");
    write("r/" + file, text);
    return json(*site("r"), "/api/requests");
  }

  static Json step() {
    const Json row = {{"op", "qkv"},     {"kernel", "norm_linear"}, {"count", 2},
                      {"ns", 30},        {"least_ns", 10},          {"most_ns", 20},
                      {"share", 0.5},    {"roofline_ns", 5},        {"limiter", "memory"},
                      {"flop", 1},       {"weight_bytes", 1},       {"memory_bytes", 1},
                      {"link_bytes", 0}, {"each_fs", {1, 2}}};
    Json all = {{"schema", 1},
                {"model", "m"},
                {"machine", "one"},
                {"dtype", "bf16"},
                {"phase", "decode"},
                {"batch", "1 x 9"},
                {"approximations", Json::array()},
                {"by_op", Json::array({row})}};
    for (const char* name :
         {"tokens", "tp", "dp", "tpot_ns", "gaps_ns", "host_ns", "tokens_per_s", "roofline_ns", "roofline_share"}) {
      all[name] = 1;
    }
    all["memory"] = {{"weight_bytes", 1}, {"cache_bytes", 1}, {"taken_bytes", 2}, {"there_bytes", 4}};
    all["memo"] = {{"simulated", 1}, {"known", 1}};
    return all;
  }
  std::string refused_step(const Json& document) const {
    write("step.json", document.dump());
    return refused("step.json");
  }
};

TEST_F(ModelSitesTest, ServedRequests) {  // H-82y
  write_served("r");
  const auto shown = site("r");
  EXPECT_EQ(json(*shown, "/api/site"), Json::parse(R"({"kind": "requests", "name": "r"})"));
  EXPECT_THAT(shown->greeting()[0], HasSubstr("The requests of '"));
  const Json all = json(*shown, "/api/requests");
  EXPECT_EQ(all["summary"], summary());
  EXPECT_EQ(all["requests"]["total"], 1);
  EXPECT_EQ(all["requests"]["rows"], Json::parse("[[7, 4, 3, 1000, 97000, 96000, 0, 33000, 31500]]"));
  EXPECT_EQ(all["seconds"]["columns"][5], "kv_cache_pct");
  EXPECT_EQ(all["seconds"]["rows"], Json::parse("[[1, 6, 4, 0, 0, 12.5]]"));
  EXPECT_EQ(all["problems"], Json::array());
  json(*shown, "/api/run", 404);
}

TEST_F(ModelSitesTest, GapsOfARequest) {  // H-82y
  write_served("r");
  const auto shown = site("r");
  EXPECT_EQ(json(*shown, "/api/gaps", 200, {{"request", "7"}}), Json::parse(R"({"gaps_ns": [36000, 27000]})"));
  const auto refusal = [&](const std::string& request) {
    return json(*shown, "/api/gaps", 400, {{"request", request}})["error"].get<std::string>();
  };
  EXPECT_THAT(refusal("8"), HasSubstr("requests.csv has no request 8"));
  EXPECT_THAT(refusal("x"), HasSubstr("request"));
  write("r/requests.csv", request_table("0,7,m,4,3,1000,97000,96000,0,33000,31500,soon\n"));
  EXPECT_THAT(refusal("7"), HasSubstr("requests.csv:2: /gaps_ns has to be a list"));
  write("r/requests.csv", request_table("0,7,m,4,3,1000,97000,96000,0,33000,31500,\"[1, [2]]\"\n"));
  EXPECT_THAT(refusal("7"), HasSubstr("/gaps_ns/1 has to be a number"));
}

TEST_F(ModelSitesTest, SimulatedLaunchesHaveNoProfile) {  // H-82y
  Json simulated = summary();
  simulated["profile"] = nullptr;
  write_served("r");
  write("r/summary.json", simulated.dump());
  EXPECT_THAT(refused("r"), HasSubstr("summary.json: /profile has to be a text, and is null"));
  simulated["launches"] = {{"joules", nullptr}};
  EXPECT_EQ(with("summary.json", simulated.dump())["summary"]["profile"], nullptr);
  Json& joules = simulated["launches"]["joules"];
  joules = {{"total", 2}, {"low", 1}, {"high", 3}, {"watts", 4}, {"per_output_token", 0.5}};
  EXPECT_EQ(with("summary.json", simulated.dump())["summary"]["launches"]["joules"]["total"], 2);
  joules.erase("watts");
  write("r/summary.json", simulated.dump());
  EXPECT_THAT(refused("r"), HasSubstr("summary.json: /launches/joules/watts is missing"));
}

TEST_F(ModelSitesTest, RatesNeedNoTables) {  // H-82y
  fs::create_directories(path("s"));
  write("s/summary.json", rate_summary().dump());
  write("s/rates.csv", "");
  const Json all = json(*site("s"), "/api/requests");
  EXPECT_EQ(all["summary"]["rates"][0]["rate_per_s"], 2);
  EXPECT_EQ(all["requests"], nullptr);
  EXPECT_EQ(all["problems"], Json::array());
  Json without = rate_summary();
  without["rates"][0].erase("ttft_p99_ns");
  write("s/summary.json", without.dump());
  EXPECT_THAT(refused("s"), HasSubstr("summary.json: /rates/0/ttft_p99_ns is missing"));
}

TEST_F(ModelSitesTest, AFolderAboveNamesWhatItHas) {  // H-82y, H-82z
  fs::create_directories(path("top"));
  write("top/other.json", "{}");
  write("top/damaged.json", "{");
  EXPECT_THAT(refused("top"), HasSubstr("is not the folder of a run"));
  write("top/step.json", step().dump());
  EXPECT_THAT(refused("top"), HasSubstr("kernbench web " + path("top/step.json")));
  write_served("top/r");
  EXPECT_THAT(refused("top"),
              HasSubstr("has no runs; what it has is shown one by one: kernbench web " + path("top/r")));
}

TEST_F(ModelSitesTest, ADamagedTableIsAProblemAndTheRestIsShown) {  // H-82y
  const auto problem = [](const Json& all) {
    EXPECT_EQ(all["problems"].size(), 1u) << all["problems"];
    EXPECT_EQ(all["summary"]["steps"], 1);
    return all["problems"][0].get<std::string>();
  };
  const Json cut = with("requests.csv", request_table("0,7,m,4,3,1000,97"));
  EXPECT_THAT(problem(cut), HasSubstr("requests.csv: its last line has no end; the file is cut"));
  EXPECT_EQ(cut["requests"], nullptr);
  EXPECT_EQ(cut["seconds"]["rows"].size(), 1u);
  EXPECT_THAT(problem(with("requests.csv", request_table("0,7,m,4\n"))),
              HasSubstr("requests.csv:2: the row has 4 cells, and the first line 12"));
  EXPECT_THAT(problem(with("requests.csv", "request id,input\n1,2\n")),
              HasSubstr("requests.csv:1: it has no column 'output' (it has request id, input)"));
  EXPECT_THAT(problem(with("timeline.csv", requests::second_columns(false) + "1,6,4,x,0,0\n")),
              HasSubstr("timeline.csv:2: running is 'x', and has to be a number of at least 0"));
  EXPECT_THAT(problem(with("timeline.csv", "")), HasSubstr("timeline.csv: its last line has no end"));
  write_served("r");
  fs::remove(path("r/timeline.csv"));
  EXPECT_THAT(problem(json(*site("r"), "/api/requests")), HasSubstr("timeline.csv: it is missing"));
  write("outside.csv", request_table(kRow));
  write_served("r");
  fs::remove(path("r/requests.csv"));
  fs::create_symlink(path("outside.csv"), path("r/requests.csv"));
  EXPECT_THAT(problem(json(*site("r"), "/api/requests")), HasSubstr("leads out of the folder of the requests"));
}

TEST_F(ModelSitesTest, ADamagedSummaryIsRefusedAlsoWhileItIsShown) {  // H-82y
  write_served("r");
  const auto shown = site("r");
  write("r/summary.json", summary().dump().substr(0, 200));
  EXPECT_THAT(json(*shown, "/api/requests", 400)["error"].get<std::string>(), HasSubstr("summary.json:1:"));
  EXPECT_THAT(refused("r"), HasSubstr("summary.json:1:"));
  Json without = summary();
  without["ttft_ns"].erase("p90");
  write("r/summary.json", without.dump());
  EXPECT_THAT(refused("r"), AllOf(HasSubstr("summary.json: /ttft_ns/p90 is missing"),
                                  HasSubstr("not one that `kernbench model requests --out` of this kernbench wrote")));
  without["ttft_ns"] = "soon";
  write("r/summary.json", without.dump());
  EXPECT_THAT(refused("r"), HasSubstr("/ttft_ns/mean"));
}

TEST_F(ModelSitesTest, AStepAndAnother) {  // H-82z
  write("step.json", step().dump());
  Json other = step();
  other["phase"] = "prefill";
  other["ttft_ns"] = 2;
  other.erase("tpot_ns");
  write("other.json", other.dump());
  const auto shown = site("step.json", "other.json");
  EXPECT_EQ(json(*shown, "/api/site"), Json::parse(R"({"kind": "step", "name": "step.json"})"));
  const Json both = json(*shown, "/api/step");
  EXPECT_EQ(both["step"], step());
  EXPECT_EQ(both["against"]["ttft_ns"], 2);
  EXPECT_EQ(both["against_name"], "other.json");
  EXPECT_EQ(json(*site("step.json"), "/api/step")["against"], nullptr);
  json(*shown, "/api/requests", 404);
}

TEST_F(ModelSitesTest, ADamagedStepIsRefused) {  // H-82z
  Json damaged = step();
  damaged["by_op"][0].erase("each_fs");
  EXPECT_THAT(refused_step(damaged), HasSubstr("step.json: /by_op/0/each_fs is missing"));
  damaged["by_op"][0]["each_fs"] = {1, "two"};
  EXPECT_THAT(refused_step(damaged), HasSubstr("/by_op/0/each_fs/1 has to be a number, and is string"));
  damaged = step();
  damaged["schema"] = 9;
  EXPECT_THAT(refused_step(damaged), HasSubstr("it has schema version 9, and this program reads 1"));
  damaged = step();
  damaged["memory"] = 5;
  EXPECT_THAT(refused_step(damaged), HasSubstr("/memory/weight_bytes is missing"));
  write("step.json", step().dump().substr(0, 100));
  EXPECT_THAT(refused("step.json"), HasSubstr("step.json:1:"));
  write("step.json", step().dump());
  write("machine.json", R"({"nodes": [], "edges": [], "spec": {}})");
  EXPECT_THAT(refused("step.json", "machine.json"), HasSubstr("machine.json: /schema is missing"));
  EXPECT_THAT(refused("machine.json", "step.json"), HasSubstr("--against needs the folder of a run or the file of a"));
}

}  // namespace
}  // namespace kb::web
