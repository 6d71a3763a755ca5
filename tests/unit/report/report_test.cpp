// A report is the page with answers inside: nothing of its run is markup or script, and it needs nothing but itself
// (H-82h).
#include "sim/web/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "platform/base/error.h"
#include "platform/record/activity_recorder.h"
#include "platform/topology/sha256.h"
#include "sim/result/launch_parts.h"
#include "sim/result/write.h"
#include "sim/web/assets.h"
#include "sim/web/report/answers.h"
#include "tests/unit/recorded/known_why.h"
#include "tests/unit/recorded/run_folders.h"

namespace kb::web {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  EXPECT_NE(begin, std::string::npos) << from;
  if (begin == std::string::npos) return "";
  return text.substr(begin + from.size(), text.find(to, begin + from.size()) - begin - from.size());
}

std::string bytes_of(const std::string& base64) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0, held = 0;
  for (const char c : base64) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 255);
  }
  return bytes;
}

std::string unpacked(const std::string& gzip) {
  z_stream z{};
  EXPECT_EQ(inflateInit2(&z, 31), Z_OK);
  std::string out(std::size_t{8} << 20, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  z.avail_in = static_cast<uInt>(gzip.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  inflateEnd(&z);
  return out;
}

Json inside(const std::string& page) {
  return Json::parse(between(page, "<script type=\"application/json\" id=\"answers\">", "</script>"));
}

Json answer(const std::string& page, const std::string& key) {
  const Json answers = inside(page)["answers"];
  EXPECT_TRUE(answers.contains(key)) << key;
  return answers.contains(key) ? Json::parse(unpacked(bytes_of(answers[key].get<std::string>()))) : Json();
}

std::string static_part_of(const std::string& page) {
  return between(page, "<noscript>", "</noscript>");
}

std::string hash_of(const std::string& content) {
  std::string bytes;
  const std::string hex = topology::sha256_hex(content);
  for (std::size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return "'sha256-" + base64(bytes) + "'";
}

void expect_self_contained(const std::string& page) {
  pugi::xml_document document;
  const auto result = document.load_string(("<body>" + static_part_of(page) + "</body>").c_str());
  EXPECT_TRUE(result) << result.description();
  EXPECT_EQ(count_of(page, "<script"), 2u) << "the answers and the page's own";
  EXPECT_EQ(count_of(page, "</script"), 2u);
  EXPECT_EQ(count_of(page, "<noscript"), 1u);
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(policy, HasSubstr("script-src " + hash_of(between(page, "<script>", "</script>"))));
  EXPECT_THAT(policy, HasSubstr("style-src " + hash_of(between(page, "<style>", "</style>"))));
  const std::string own = between(page, "<script>", "</script>");
  std::string markup = page;
  markup.erase(markup.find(own), own.size());
  for (const char* outside :
       {"https:", "src=", "href=\"/", "href=\"http", "@import", "<img", "<iframe", "<b>", "onerror=\""}) {
    EXPECT_THAT(markup, Not(HasSubstr(outside)));
  }
}

class ReportTest : public analysis::test::RunFolders {
 protected:
  std::string report(const std::string& folder, const std::string& against = "") const {
    return render_report(path(folder), against.empty() ? "" : path(against));
  }

  // A launch of 1000 ns on two PEs: one computes half of the kernel, of the other nothing is known.
  void write_activity(const std::string& file) const {
    record::ActivityRecorder recorder(8);
    record::ActivitySeries& state = recorder.add_series({NodeId(0), record::Role::state, "gemm", NodeId(), 0, 0, 1});
    record::ActivitySeries& pc = recorder.add_series({NodeId(1), record::Role::memory, "pc", NodeId(), 0, 0, 1});
    recorder.launch_began(0, 3, 0_fs);
    state.add({100_ns, 600_ns, 500_ns, 0_fs, 0, 0});
    pc.add({100_ns, 600_ns, 500_ns, 50_ns, 4096, 2});
    recorder.launch_ended(0, 3, 1'100_ns);
    recorder.finish(1'200_ns);
    data::OpLog::Options options{kb::test::named_nodes({"sip0.cube0.pe0.pe_cpu", "sip0.cube0.hbm_ctrl.pe0"}), {}, {}};
    options.activity = &recorder;
    options.series_label = [](const record::SeriesInfo& info) {
      return info.role == record::Role::memory ? "pc0" : std::string(info.name);
    };
    data::test::CommittedLog log(path(file), options);
    log.finish();
  }

  // A launch of 1000 ns in its kernel, and a finding.
  static result::Result known_result() {
    result::Result result;
    result.setup.version = "9";
    result.setup.topology = {"m.yaml", "7"};
    result.setup.bench = {"w", {{"m", {{"5"}, "default"}}}};
    result.device = "all";
    result.data_mode = "off";
    result.sim_time = 1'200_ns;
    result.launch_count = 1;
    result.findings = {{"straggler", 3, 2_ns, 6_ns, 1.5, "late", {"so"}, "less", {}}};
    result::Launch launch;
    launch.id = 3;
    launch.kernel = "k";
    launch.submit = 0_fs;
    launch.start = 100_ns;
    launch.completed = 1'100_ns;
    launch.exec = {900_ns, 1'000_ns};
    launch.breakdown = result::Breakdown{"sip0.cube0.pe0", {}, {}, "compute", "the <compute> engines, 50.0 %"};
    set_part(launch, "delivery", 100_ns);
    set_part(launch, "gemm", 500_ns);
    set_part(launch, "dma", 500_ns);
    result.launches = {launch};
    result.host.wall_s = 12.75;
    return result;
  }
  static void set_part(result::Launch& launch, const std::string& name, TimeFs time) {
    for (const std::size_t i : sim::launch_part_indices()) {
      if (sim::launch_part(i).name == name) launch.breakdown->parts.time[i] = time;
    }
  }
  void write_result(const std::string& folder, const result::Result& result) const {
    std::string text;
    result::render(result, [&](std::string_view piece) { text += piece; });
    write(folder + "/result.json", text);
  }
};

TEST_F(ReportTest, AResultAlone) {
  write_result("run", known_result());
  const std::string page = report("run");
  expect_self_contained(page);
  EXPECT_THAT(page, HasSubstr("<title>w \u00b7 kernbench</title>"));
  const Json run = answer(page, "/api/run");
  EXPECT_EQ(run["launches"][0]["kernel"], "k");
  EXPECT_EQ(run["has_operations"], false);
  EXPECT_EQ(answer(page, "/api/compare"), Json());
  EXPECT_TRUE(inside(page)["answers"].contains("/api/nodes"));
  EXPECT_EQ(inside(page)["answers"].size(), 4u) << "there is nothing else to ask";
}

TEST_F(ReportTest, WithoutScriptsItHasFindingsAndLaunches) {
  write_result("run", known_result());
  const std::string text = static_part_of(report("run"));
  for (const char* part : {"<h1>w</h1>", "late", "up to 2 ns of 6 ns (1.50x)", "<p>so</p>", "Try: less",
                           "<td class=\"number\">#3</td><td>k</td><td>sip0</td>", "1100 ns", "1000 ns",
                           "sip0.cube0.pe0", "the &lt;compute&gt; engines, 50.0 %"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("<svg"))) << "nothing was recorded";
}

// H-82w, H-82x: steps with their gains, the bound, what can be changed, and keys of the machine; names are text.
TEST_F(ReportTest, ItHasTheLadder) {
  result::Result result = known_result();
  result.launches[0].submit = 100_ns;
  write_result("run", result);
  write("run/inputs.json", result::render(analysis::test::known_inputs()));
  write("run/why/why.json", result::render(analysis::test::known_why()));
  write("run/why/tornado.json", result::render(analysis::test::known_tornado()));
  const std::string page = report("run");
  expect_self_contained(page);
  EXPECT_EQ(answer(page, "/api/run")["tornado"]["keys"][0]["swing_ns"], 500);
  EXPECT_THAT(static_part_of(page), HasSubstr("What each key of the machine does, measured"));
  EXPECT_EQ(answer(page, "/api/run")["why"]["steps"][1]["time_ns"], 500);
  const std::string text = static_part_of(page);
  for (const char* part :
       {"What it waits for, measured",
        "<td class=\"number\">600 ns</td><td class=\"number\" data-label=\"gain\">1.67x</td>",
        "data-label=\"gain\">1.20x</td><td class=\"number\" data-label=\"so far\">2.00x</td>", "no wait at k.cpp:7",
        "450 ns when routes and algorithms are chosen again", "&lt;b&gt;wires&lt;/b&gt;", "the &lt;first&gt; cause",
        "<span class=\"family\">rate</span>", "kernbench run --pins r --relief no-wait=k.cpp:7", "Cut after 2 steps.",
        "bound: the compute engines", "data-label=\"so far\">4.00x</td>", "tile 1 -&gt; 2",
        "<td class=\"number\">1.25x</td><td class=\"number\">800 ns</td>", "kernbench run 4", "kernbench run 3",
        "<rect class=\"fill\" width=\"500.0\" height=\"24\"/><rect class=\"less\" x=\"500.0\" width=\"100.0\"",
        "<rect class=\"boundmark\" x=\"250.0\""}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST_F(ReportTest, ALadderOfAnotherRunIsNotShown) {
  write_result("run", known_result());  // it takes 1100 ns
  write("run/inputs.json", result::render(analysis::test::known_inputs()));
  write("run/why/why.json", result::render(analysis::test::known_why()));
  const std::string page = report("run");
  EXPECT_FALSE(answer(page, "/api/run").contains("why"));
  EXPECT_THAT(answer(page, "/api/run")["why_problem"].get<std::string>(),
              HasSubstr("is about another run: that took 1000 ns, and this one takes 1100 ns"));
  EXPECT_THAT(static_part_of(page), HasSubstr("The ladder is not shown: why/why.json is about another run"));
  EXPECT_THAT(static_part_of(page), Not(HasSubstr("kernbench run --pins")));
}

TEST_F(ReportTest, WithoutScriptsItHasFiguresRacesAndWhatWasRun) {
  result::Result result = known_result();
  result.figures = {{"time", 1'234.5, "ns"}, {"rate <x>", 2.5, "GB/s"}};
  result.races = {{"store and load of t", 3}};
  result.races_not_compared = 7;
  result.setup.bench.params.push_back({"dtype", {{"f16"}, "command line"}});
  result.setup.settings = {{"cube.hbm.rate", {"64"}, "--set", result::Scalar{"32"}}};
  result::Verification tensor;
  tensor.rule = "equal";
  tensor.status = "ok";
  result.verification = {tensor, tensor};
  result.verification[1].ok = false;
  result.verification[1].status = "wrong";
  write_result("run", result);
  const std::string text = static_part_of(report("run"));
  for (const char* part :
       {"<td>time</td><td class=\"number\">1234.5 ns</td>", "<td>rate &lt;x&gt;</td><td class=\"number\">2.5 GB/s</td>",
        "store and load of t; 3 pairs like this", "Not compared: 7 accesses", "<td>workload</td><td>w</td>",
        "<td>dtype</td><td>f16</td><td>command line</td>", "<td>other parameters</td><td>m = 5</td><td>default</td>",
        "<td>machine</td><td>m.yaml</td>", "<td>cube.hbm.rate</td><td>64 (reference 32)</td><td>--set</td>",
        "off, 1 of 2 tensors right, 1 wrong"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  write_result("run", known_result());
  EXPECT_THAT(static_part_of(report("run")), Not(HasSubstr("Races"))) << "nobody looked for any";
}

TEST_F(ReportTest, WithoutScriptsItSaysWhetherEveryUseWasCompared) {
  result::Result result = known_result();
  result.races.emplace();
  write_result("run", result);
  EXPECT_THAT(static_part_of(report("run")), HasSubstr("None: every two such uses are in an order."));
  result.races_not_compared = 7;
  write_result("run", result);
  EXPECT_THAT(static_part_of(report("run")), HasSubstr("None in what was compared."));
}

// 1000 ns from 100 ns on, of which the state and the channel are busy for 500.
TEST_F(ReportTest, ItHasTheAnswersOfTheLongestLaunch) {
  write_result("run", known_result());
  write_activity("run/ops.sqlite");
  const std::string page = report("run");
  expect_self_contained(page);
  const std::string kernel = " t0=100000000 t1=1100000000";
  const Json state = answer(page, "/api/activity kind=state" + kernel);
  EXPECT_EQ(state["total"], 1);
  constexpr double kOfABin = 0.01;  // bins are powers of two of fs
  EXPECT_NEAR(state["rows"][0][3].get<double>(), 0.5, kOfABin) << "share of the kernel";
  const Json channel = answer(page, "/api/activity" + kernel)["rows"][0];
  EXPECT_EQ(channel[0], "sip0.cube0.hbm_ctrl.pe0");
  EXPECT_NEAR(channel[5].get<double>(), 4096, 4096 * kOfABin) << "bytes";
  ASSERT_EQ(channel.size(), 11u);
  EXPECT_EQ(channel[9], "") << "what is no wire has no other end";
  EXPECT_EQ(channel[10], "sip*.cube*.hbm_ctrl.pe* pc*") << "the purpose, by which the page filters";
  for (const char* key : {"/api/classes", "/api/cells", "/api/messages"}) {
    EXPECT_TRUE(inside(page)["answers"].contains(key + kernel)) << key;
  }
  EXPECT_TRUE(inside(page)["answers"].contains("/api/work t0=0 t1=1100000000 under=sip0"));
  EXPECT_TRUE(inside(page)["answers"].contains("/api/activity t0=0 t1=1200000000")) << "of the whole run";
}

TEST_F(ReportTest, ATimelineHasAWindowWithItsTile) {
  write_result("run", known_result());
  write_ops("run/ops.sqlite", analysis::test::known_ops(200, 7));
  const Json all = inside(report("run"));
  ASSERT_EQ(all["windows"].size(), 2u) << "the launch, and the whole run";
  EXPECT_EQ(all["windows"][0]["t0"], "0");
  EXPECT_EQ(all["windows"][0]["t1"], "1144000001") << "4 % and a femtosecond more than the launch";
  std::string rows;
  for (const Json& row : all["windows"][0]["rows"]) rows += (rows.empty() ? "" : ",") + row.dump();
  ASSERT_TRUE(all["answers"].contains("/api/tiles rows=" + rows + " t0=0 t1=1144000001"));
}

TEST_F(ReportTest, NamesAreTextWhateverIsInThem) {
  const std::string hostile = std::string("</noscript></title></script><script>alert(1)</script><!--\"'&\x1b") + '\0';
  result::Result result = known_result();
  result.setup.version = result.setup.topology.file = result.setup.bench.name = result.device = hostile;
  result.setup.bench.params = {{hostile, {{hostile}, hostile}}};
  result.findings = {{hostile, 3, 2_ns, 6_ns, 1.5, hostile, {hostile}, hostile, {}}};
  result.warnings = result.notes = {hostile};
  result.ok = false;
  result.error = result::Failure{hostile, hostile};
  result::Launch& launch = result.launches[0];
  launch.kernel = launch.label = launch.breakdown->pe = hostile;
  launch.breakdown->limiter = launch.breakdown->limiter_text = hostile;
  write_result("run", result);
  write_activity("run/ops.sqlite");
  const std::string page = report("run");
  expect_self_contained(page);
  EXPECT_THAT(answer(page, "/api/run")["bench"]["name"].get<std::string>(), HasSubstr("</script><script>alert(1)"))
      << "the page shows it as text";
}

TEST_F(ReportTest, EqualRunsGiveEqualBytes) {
  write_result("one", known_result());
  result::Result other = known_result();
  other.host.wall_s = 99.5;
  write_result("two", other);
  write_activity("one/ops.sqlite");
  write_activity("two/ops.sqlite");
  EXPECT_EQ(report("one"), report("two")) << "neither the folder nor the cost on this computer";
}

// 1100 ns became 600: 500 of GEMM less, 20 of delivery more, 20 of DMA less.
TEST_F(ReportTest, WhatChangedFromAnotherRun) {
  result::Result better = known_result();
  result::Launch& launch = better.launches[0];
  launch.completed = 600_ns;
  set_part(launch, "delivery", 120_ns);
  set_part(launch, "gemm", 0_fs);
  set_part(launch, "dma", 480_ns);
  better.setup.bench.params[0].second.value.text = "<b>";
  std::string pages[2];
  for (const std::string folder : {"one", "two"}) {
    write_result(folder + "/run", better);
    write_result(folder + "/before", known_result());
    pages[folder == "one" ? 0 : 1] = report(folder + "/run", folder + "/before");
  }
  EXPECT_EQ(pages[0], pages[1]) << "where the folders lie does not matter";
  expect_self_contained(pages[0]);
  const Json comparison = answer(pages[0], "/api/compare");
  EXPECT_EQ(comparison["total"]["before"], 1100.0);
  EXPECT_EQ(comparison["total"]["after"], 600.0);
  EXPECT_EQ(comparison["before"], "A");
  EXPECT_EQ(answer(pages[0], "/api/run run=against")["launches"][0]["completed_ns"], 1100);
  const std::string text = static_part_of(pages[0]);
  for (const char* part : {"Compared with another run", "1100 ns in A, 600 ns in B", "<td>5</td><td>&lt;b&gt;</td>",
                           ">+20 ns</td>", ">\u2212500 ns</td>", ">\u221220 ns</td>"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(static_part_of(report("one/run")), Not(HasSubstr("Compared with another run")));
}

TEST_F(ReportTest, ThePageIsTheServersOne) {
  write_result("run", known_result());
  const std::string page = report("run");
  std::map<std::string, std::string> files;
  for (const Asset& asset : assets()) files.emplace(asset.path, asset.content);
  EXPECT_THAT(page, HasSubstr("<script>" + files.at("/app.js") + "</script>"));
  EXPECT_THAT(page, HasSubstr("<style>" + files.at("/app.css") + "</style>"));
  EXPECT_THAT(files.at("/app.js"), Not(HasSubstr("</script")));
  EXPECT_THAT(files.at("/app.js"), Not(HasSubstr("<!--")));
}

}  // namespace
}  // namespace kb::web
