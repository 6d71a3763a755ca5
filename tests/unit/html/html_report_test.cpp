// A report is well-formed, has no markup of its run, and needs nothing but itself.
#include "sim/html/html_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "platform/base/error.h"
#include "platform/record/activity_recorder.h"
#include "tests/unit/recorded/run_folders.h"

namespace kb::html {
namespace {

using testing::HasSubstr;
using testing::Not;

class HtmlReportTest : public analysis::test::RunFolders {
 protected:
  std::string report(const std::string& folder) const { return render_report(analysis::RunFolder(path(folder))); }

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
    data::OpLog::Options options{kb::test::named_nodes({"sip0.cube0.pe0.pe_cpu", "sip0.cube0.hbm_ctrl.pe0"}), {}, {}};
    options.activity = &recorder;
    options.series_label = [](const record::SeriesInfo& info) {
      return info.kind == record::SeriesKind::pseudo_channel ? "pc0" : std::string(info.name);
    };
    data::test::CommittedLog log(path(file), options);
    log.finish();
  }

  static constexpr const char* kResult = R"({"schema": 2, "version": "9", "ok": true, "data_mode": "off", "seed": 1,
      "topology": {"file": "m.yaml", "sha256": "7"}, "bench": {"name": "w", "params": {"m": {"value": 5, "origin": "default"}}},
      "settings": [{"key": "a.b", "value": 3, "origin": "--set", "reference": 4}],
      "findings": [{"rule": "straggler", "factor": 1.5, "gain_ns": 2, "of_ns": 6, "headline": "late", "evidence": ["so"], "remedy": "less"}],
      "sim_time_ns": 1200, "host": {"wall_s": 12.75},
      "launches": [{"id": 3, "kernel": "k", "sip": 0, "submit_ns": 0, "start_ns": 100, "completed_ns": 1100,
        "pe_exec_ns": {"min": 900, "max": 1000}, "breakdown": {"pe": "sip0.cube0.pe0", "delivery_ns": 100, "gemm_ns": 500,
        "dma_ns": 500, "busy": {"compute_ns": 500}, "limiter": "compute", "limiter_text": "the <compute> engines, 50.0 %"}}]})";
};

void expect_self_contained(const std::string& page) {
  pugi::xml_document document;
  std::string body = page.substr(page.find("<body>"));
  body.erase(body.find("</html>"));
  const auto result = document.load_string(body.c_str());
  EXPECT_TRUE(result) << result.description()
                      << " before: " << body.substr(static_cast<std::size_t>(result.offset), 80);
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* outside : {"http:", "https:", "src=", "href=", "url(", "@import", "<script", "<link", "<img"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST_F(HtmlReportTest, AResultAlone) {
  write("run/result.json", kResult);
  const std::string page = report("run");
  expect_self_contained(page);
  for (const char* text :
       {"<title>w, 1100 ns</title>", "<b>1.5x</b>", "late", "Try: less", "a.b", "#3 k, sip0", "exposed DMA", "45.5 %",
        "(limiter)", "Limiter: <b>the &lt;compute&gt; engines, 50.0 %</b> of the kernel's time."}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
  EXPECT_THAT(page, HasSubstr("kernbench run --record"));
  EXPECT_THAT(page, Not(HasSubstr("12.75"))) << "the cost on this computer differs from run to run";
}

TEST_F(HtmlReportTest, APeHasItsSharesOfTheKernel) {
  write("run/result.json", kResult);
  write_activity("run/ops.sqlite");
  const std::string page = report("run");
  expect_self_contained(page);
  EXPECT_THAT(page, HasSubstr("Where the time of each PE went, 1 PE<"));
  EXPECT_THAT(page, HasSubstr("sip0.cube0.pe0\nGEMM 500 ns, 50.0 %"));
  EXPECT_THAT(page, HasSubstr("sip0.cube0.hbm_ctrl.pe0 pc0"));
  EXPECT_THAT(page, Not(HasSubstr("Roofline"))) << "the machine is not known";
}

TEST_F(HtmlReportTest, NamesAreTextWhateverIsInThem) {
  std::string result = kResult;
  const std::string hostile = R"(</title><script>alert(1)</script>\"'&\u0000\u001b)";
  for (const char* name : {"\"k\"", "\"w\"", "\"late\"", "\"so\"", "\"less\"", "\"a.b\"", "\"m.yaml\"", "\"9\"",
                           "\"straggler\"", "\"sip0.cube0.pe0\"", "\"m\""}) {
    const std::size_t at = result.find(name);
    ASSERT_NE(at, std::string::npos) << name;
    result.replace(at, std::string(name).size(), '"' + hostile + '"');
  }
  write("run/result.json", result);
  expect_self_contained(report("run"));
}

TEST_F(HtmlReportTest, OddMembersAreLeftOut) {
  write("run/result.json", R"({"schema": 2, "launches": [7, {"submit_ns": "1"}, {"submit_ns": 4, "completed_ns": 3},
      {"id": {}, "sip": [1], "submit_ns": 0, "completed_ns": 9, "start_ns": 8, "pe_exec_ns": {"max": 1e300}, "breakdown": {"gemm_ns": 1e300, "busy": 5}}],
      "findings": [3, null], "settings": {"a": 1}, "verification": [[]], "figures": "x", "warnings": [{}], "bench": 4, "ok": 1})");
  expect_self_contained(report("run"));
}

TEST_F(HtmlReportTest, EqualRunsGiveEqualBytes) {
  write("one/result.json", kResult);
  write("two/result.json", kResult);
  write_activity("one/ops.sqlite");
  write_activity("two/ops.sqlite");
  EXPECT_EQ(report("one"), report("two"));
}

// 1100 ns became 600: 500 of GEMM less, 20 of delivery more, 20 of DMA less.
TEST_F(HtmlReportTest, WhatChangedFromAnotherRun) {
  const std::string better = [] {
    std::string text = kResult;
    const auto set = [&](const std::string& from, const std::string& to) {
      text.replace(text.find(from), from.size(), to);
    };
    set("\"completed_ns\": 1100", "\"completed_ns\": 600");
    set("\"delivery_ns\": 100", "\"delivery_ns\": 120");
    set("\"gemm_ns\": 500", "\"gemm_ns\": 0");
    set("\"dma_ns\": 500", "\"dma_ns\": 480");
    set("{\"value\": 5", "{\"value\": \"<b>\"");
    set("\"findings\"", "\"config\": {}, \"device\": \"all\", \"findings\"");
    return text;
  }();
  std::string plain = kResult;
  plain.replace(plain.find("\"findings\""), 10, "\"config\": {}, \"device\": \"all\", \"findings\"");
  std::string pages[2];
  for (const std::string folder : {"one", "two"}) {
    write(folder + "/run/result.json", better);
    write(folder + "/before/result.json", plain);
    const sim::Comparison comparison = sim::compare_results(path(folder + "/before"), path(folder + "/run"));
    pages[folder == "one" ? 0 : 1] = render_report(analysis::RunFolder(path(folder + "/run")), &comparison);
  }
  EXPECT_EQ(pages[0], pages[1]) << "where the folders lie does not matter";
  expect_self_contained(pages[0]);
  for (const char* text :
       {"Compared with another run", "B takes 500 ns less than A</b>: 54.5 % of its time, over 1 launches",
        "<td>m of the workload</td><td>5</td><td>&lt;b&gt;</td>", ">delivery</text>", ">+20 ns</text>",
        ">−500 ns</text>", ">−20 ns</text>", "<td>#3 k, sip0</td>"}) {
    EXPECT_THAT(pages[0], HasSubstr(text));
  }
  EXPECT_THAT(pages[0], Not(HasSubstr("before/"))) << "names of folders";
  // The page is (1050 - 150 - 110) / 1120 units per ns wide: GEMM falls from 1120 to 620.
  EXPECT_THAT(pages[0], HasSubstr("<rect x=\"587.3\" y=\"42\" width=\"352.7\""));
  EXPECT_THAT(report("one/run"), Not(HasSubstr("Compared with another run")));
}

}  // namespace
}  // namespace kb::html
