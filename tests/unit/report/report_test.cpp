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
#include "sim/web/assets.h"
#include "sim/web/report/answers.h"
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
    record::ActivitySeries& state =
        recorder.add_series({NodeId(0), record::SeriesKind::state, "gemm", NodeId(), 0, 0, 1});
    record::ActivitySeries& pc =
        recorder.add_series({NodeId(1), record::SeriesKind::pseudo_channel, "pc", NodeId(), 0, 0, 1});
    recorder.launch_began(0, 3, 0_fs);
    state.add({100_ns, 600_ns, 500_ns, 0_fs, 0, 0});
    pc.add({100_ns, 600_ns, 500_ns, 50_ns, 4096, 2});
    recorder.launch_ended(0, 3, 1'100_ns);
    recorder.finish(1'200_ns);
    data::OpLog::Options options{{"sip0.cube0.pe0.pe_cpu", "sip0.cube0.hbm_ctrl.pe0"}, {}, {}};
    options.activity = &recorder;
    options.series_label = [](const record::SeriesInfo& info) {
      return info.kind == record::SeriesKind::pseudo_channel ? "pc0" : std::string(info.name);
    };
    data::test::CommittedLog log(path(file), options);
    log.finish();
  }

  static std::string with(std::string text, const std::string& from, const std::string& to) {
    EXPECT_NE(text.find(from), std::string::npos) << from;
    return text.replace(text.find(from), from.size(), to);
  }

  static constexpr const char* kResult = R"({"schema": 2, "version": "9", "ok": true, "data_mode": "off", "seed": 1,
      "topology": {"file": "m.yaml", "sha256": "7"}, "bench": {"name": "w", "params": {"m": {"value": 5, "origin": "default"}}},
      "settings": [{"key": "a.b", "value": 3, "origin": "--set", "reference": 4}], "config": {}, "device": "all",
      "findings": [{"rule": "straggler", "factor": 1.5, "gain_ns": 2, "of_ns": 6, "headline": "late", "evidence": ["so"], "remedy": "less"}],
      "sim_time_ns": 1200, "host": {"wall_s": 12.75},
      "launches": [{"id": 3, "kernel": "k", "sip": 0, "submit_ns": 0, "start_ns": 100, "completed_ns": 1100,
        "pe_exec_ns": {"min": 900, "max": 1000}, "breakdown": {"pe": "sip0.cube0.pe0", "delivery_ns": 100, "gemm_ns": 500,
        "dma_ns": 500, "busy": {"compute_ns": 500}, "limiter": "compute", "limiter_text": "the <compute> engines, 50.0 %"}}]})";
};

TEST_F(ReportTest, AResultAlone) {
  write("run/result.json", kResult);
  const std::string page = report("run");
  expect_self_contained(page);
  EXPECT_THAT(page, HasSubstr("<title>w \u00b7 kernbench</title>"));
  const Json run = answer(page, "/api/run");
  EXPECT_EQ(run["launches"][0]["kernel"], "k");
  EXPECT_EQ(run["has_operations"], false);
  EXPECT_EQ(answer(page, "/api/compare"), Json());
  EXPECT_EQ(inside(page)["answers"].size(), 2u) << "there is nothing else to ask";
}

TEST_F(ReportTest, WithoutScriptsItHasFindingsAndLaunches) {
  write("run/result.json", kResult);
  const std::string text = static_part_of(report("run"));
  for (const char* part : {"<h1>w</h1>", "late", "up to 2 ns of 6 ns (1.50x)", "<p>so</p>", "Try: less",
                           "<td class=\"number\">#3</td><td>k</td><td>sip0</td>", "1100 ns", "1000 ns",
                           "sip0.cube0.pe0", "the &lt;compute&gt; engines, 50.0 %"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("<svg"))) << "nothing was recorded";
}

// 1000 ns from 100 ns on, of which the state and the channel are busy for 500.
TEST_F(ReportTest, ItHasTheAnswersOfTheLongestLaunch) {
  write("run/result.json", kResult);
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
  EXPECT_EQ(channel[9], "sip0.cube0.pe0") << "the cell, the purpose and the other end, by which the page filters";
  EXPECT_EQ(channel[10], "sip*.cube*.hbm_ctrl.pe* pc*");
  EXPECT_EQ(channel[11], "");
  for (const char* key : {"/api/classes", "/api/cells", "/api/messages"}) {
    EXPECT_TRUE(inside(page)["answers"].contains(key + kernel)) << key;
  }
  EXPECT_TRUE(inside(page)["answers"].contains("/api/work t0=0 t1=1100000000 under=sip0"));
  EXPECT_TRUE(inside(page)["answers"].contains("/api/activity t0=0 t1=1200000000")) << "of the whole run";
}

TEST_F(ReportTest, ATimelineHasAWindowWithItsTile) {
  write("run/result.json", kResult);
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
  std::string result = kResult;
  const std::string hostile = R"(</noscript></title></script><script>alert(1)</script><!--\"'&\u0000\u001b)";
  for (const char* name : {"\"k\"", "\"w\"", "\"late\"", "\"so\"", "\"less\"", "\"a.b\"", "\"m.yaml\"", "\"9\"",
                           "\"straggler\"", "\"sip0.cube0.pe0\"", "\"m\""}) {
    result = with(result, name, '"' + hostile + '"');
  }
  write("run/result.json", result);
  write_activity("run/ops.sqlite");
  const std::string page = report("run");
  expect_self_contained(page);
  EXPECT_THAT(answer(page, "/api/run")["bench"]["name"].get<std::string>(), HasSubstr("</script><script>alert(1)"))
      << "the page shows it as text";
}

TEST_F(ReportTest, OddMembersAreLeftOut) {
  write("run/result.json", R"({"schema": 2, "launches": [7, {"submit_ns": "1"}, {"submit_ns": 4, "completed_ns": 3},
      {"id": {}, "sip": [1], "submit_ns": 0, "completed_ns": 9, "start_ns": 8, "pe_exec_ns": {"max": 1e300}, "breakdown": {"gemm_ns": 1e300, "busy": 5}}],
      "findings": [3, null], "settings": {"a": 1}, "verification": [[]], "figures": "x", "warnings": [{}], "bench": 4, "ok": 1})");
  expect_self_contained(report("run"));
}

TEST_F(ReportTest, EqualRunsGiveEqualBytes) {
  write("one/result.json", kResult);
  write("two/result.json", with(kResult, "12.75", "99.5"));
  write_activity("one/ops.sqlite");
  write_activity("two/ops.sqlite");
  EXPECT_EQ(report("one"), report("two")) << "neither the folder nor the cost on this computer";
}

// 1100 ns became 600: 500 of GEMM less, 20 of delivery more, 20 of DMA less.
TEST_F(ReportTest, WhatChangedFromAnotherRun) {
  std::string better = with(kResult, "\"completed_ns\": 1100", "\"completed_ns\": 600");
  better = with(better, "\"delivery_ns\": 100", "\"delivery_ns\": 120");
  better = with(better, "\"gemm_ns\": 500", "\"gemm_ns\": 0");
  better = with(better, "\"dma_ns\": 500", "\"dma_ns\": 480");
  better = with(better, "{\"value\": 5", "{\"value\": \"<b>\"");
  std::string pages[2];
  for (const std::string folder : {"one", "two"}) {
    write(folder + "/run/result.json", better);
    write(folder + "/before/result.json", kResult);
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
  write("run/result.json", kResult);
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
