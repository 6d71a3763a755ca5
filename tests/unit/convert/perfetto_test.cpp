// A trace of Perfetto says what the operation log says.
#include "sim/analysis/convert/perfetto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "platform/base/error.h"
#include "platform/record/activity_recorder.h"
#include "tests/unit/convert/decoded_trace.h"
#include "tests/unit/recorded/run_folders.h"

namespace kb::convert {
namespace {

using test::decode_trace;
using test::DecodedTrace;
using test::Slice;

class PerfettoTest : public analysis::test::RunFolders {
 protected:
  std::string trace(const std::string& folder, const PerfettoOptions& options = {}) const {
    std::string bytes;
    write_perfetto(analysis::RunFolder(path(folder)), options, [&](std::string_view piece) { bytes += piece; });
    return bytes;
  }
  void write_launches() const {
    write_result("run", result_of({launch(3, 1.5_ns, 2_ns, 100_ns), launch(4, 50_ns, 60_ns, 120'999'999_fs)}));
  }
};

TEST_F(PerfettoTest, EveryOperationWithItsTimes) {
  write_launches();
  const std::vector<analysis::test::KnownOp> ops = analysis::test::known_ops(3000, 5);
  write_ops("run/ops.sqlite", ops);
  DecodedTrace decoded;
  decode_trace(trace("run"), decoded);
  std::vector<Slice> expected;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    expected.push_back({analysis::test::kComponents[ops[i].component], analysis::test::kOperations[ops[i].operation],
                        static_cast<std::uint64_t>(ops[i].start_fs / 1'000'000),
                        static_cast<std::uint64_t>(ops[i].end_fs / 1'000'000), i});
  }
  std::sort(decoded.operations.begin(), decoded.operations.end());
  EXPECT_EQ(decoded.operations, expected);
}

TEST_F(PerfettoTest, LaunchesThatOverlapLieBelowEachOther) {
  write_launches();
  write_ops("run/ops.sqlite", {});
  DecodedTrace decoded;
  decode_trace(trace("run"), decoded);
  std::sort(decoded.launches.begin(), decoded.launches.end());
  EXPECT_EQ(decoded.launches, (std::vector<Slice>{{"launches.sip0", "#3 k", 1, 100, 0},
                                                  {"launches.sip0", "#4 k", 50, 120, 0},
                                                  {"launches.sip0", "since the start of the kernel", 2, 100, 0},
                                                  {"launches.sip0", "since the start of the kernel", 60, 120, 0}}));
  EXPECT_EQ(std::count_if(decoded.tracks.begin(), decoded.tracks.end(),
                          [](const auto& track) { return track.second.name == "sip0"; }),
            2);
  ASSERT_EQ(decoded.flows.size(), 2u) << "from each launch to its kernel";
  const auto& flow = decoded.flows.begin()->second;
  ASSERT_EQ(flow.steps.size(), 2u);
  EXPECT_EQ(flow.steps[0], std::tuple(1u, 0u, "#3 k"));
  EXPECT_EQ(flow.steps[1], std::tuple(2u, 0u, "since the start of the kernel"));
}

TEST_F(PerfettoTest, OddLaunchesAreLeftOut) {
  result::Result result = result_of({launch(1, 1_ns, 2_ns, 3_ns), launch(2, 4_ns, 5_ns, 3_ns)});
  result.launches[0].completed.reset();
  write_result("run", result);
  write_ops("run/ops.sqlite", {});
  DecodedTrace decoded;
  decode_trace(trace("run"), decoded);
  EXPECT_TRUE(decoded.launches.empty());
}

TEST_F(PerfettoTest, CountersAreTheSharesOfTheActivity) {
  record::ActivityRecorder recorder(2);
  recorder.add_series({NodeId(0), record::Role::dma, "read", NodeId(), 0, 0, 1})
      .add({0_ns, 1'000_ns, 500_ns, 0_fs, 0, 0});
  recorder.add_series({NodeId(0), record::Role::wire, "to", NodeId(), 0, 0, 1}).add({0_ns, 10_ns, 10_ns, 0_fs, 64, 0});
  recorder.finish(2'000_ns);
  write_result("run", result_of());
  data::OpLog::Options options{kb::test::named_nodes({"sip0.a"}), {}, {}};
  options.activity = &recorder;
  options.series_label = [](const record::SeriesInfo& info) { return std::string(info.name); };
  data::test::CommittedLog log(path("run/ops.sqlite"), options);
  log.finish();
  DecodedTrace decoded;
  decode_trace(trace("run"), decoded);
  ASSERT_EQ(decoded.counters.size(), 1u);
  const auto& values = decoded.counters.at("sip0.a.read");
  double percent_ns = 0;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    percent_ns += values[i].second * static_cast<double>(values[i + 1].first - values[i].first);
  }
  EXPECT_NEAR(percent_ns / 100, 500, 2) << "as exact as nanoseconds are";
  EXPECT_EQ(values.back().second, 0);
  DecodedTrace with_wires;
  decode_trace(trace("run", {true}), with_wires);
  EXPECT_EQ(with_wires.counters.size(), 2u);
}

// 200 series of 500 bins each: more than 512 KiB of values, so bins are merged; the sums stay.
TEST_F(PerfettoTest, CountersAreCoarserBeforeTheyAreLarge) {
  record::ActivityRecorder recorder(1);
  constexpr int kSeries = 200, kBins = 500;
  double expected_ns = 0;
  for (int i = 0; i < kSeries; ++i) {
    record::ActivitySeries& series = recorder.add_series({NodeId(0), record::Role::dma, "x", NodeId(), 0, 0, 1});
    for (int bin = 0; bin < kBins; ++bin) {
      const TimeFs begin = TimeFs((std::int64_t{1} << 24) * bin), busy = TimeFs(1'000'000 * (1 + bin % 11));
      series.add({begin, begin + busy, busy, 0_fs, 0, 0});
      if (i == 0) expected_ns += 1 + bin % 11;
    }
  }
  recorder.finish(TimeFs((std::int64_t{1} << 24) * kBins));
  write_result("run", result_of());
  data::OpLog::Options options{kb::test::named_nodes({"sip0.a"}), {}, {}};
  options.activity = &recorder;
  int label = 0;
  options.series_label = [&](const record::SeriesInfo&) { return "s" + std::to_string(label++); };
  data::test::CommittedLog log(path("run/ops.sqlite"), options);
  log.finish();
  const std::string bytes = trace("run");
  EXPECT_LT(bytes.size(), (512u << 10U) + 200u * kSeries);
  EXPECT_GT(bytes.size(), 256u << 10U) << "no coarser than needed";
  DecodedTrace decoded;
  decode_trace(bytes, decoded);
  ASSERT_EQ(decoded.counters.size(), static_cast<std::size_t>(kSeries));
  const auto& values = decoded.counters.at("sip0.a.s7");
  double percent_ns = 0;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    percent_ns += values[i].second * static_cast<double>(values[i + 1].first - values[i].first);
  }
  EXPECT_NEAR(percent_ns / 100, expected_ns, expected_ns / 200);
}

// Two messages through one slot, the second of which is awaited before it is sent; a third one is never received.
TEST_F(PerfettoTest, MessagesAreFlows) {
  write_launches();
  const auto step = [](data::CopyName name, std::uint64_t from, std::uint64_t to, std::uint64_t sequence) {
    data::CopyOp op{name, {{from, 64}}, {{to, 64}}};
    op.sequence = sequence;
    return op;
  };
  using data::CopyName;
  const std::vector<std::tuple<data::CopyOp, TimeFs, TimeFs>> steps = {
      {step(CopyName::ipcq_send, 0x100, 0x20, 0), 1_ns, 2_ns},
      {step(CopyName::ipcq_copy, 0x20, 0x30, 0), 2_ns, 9_ns},
      {step(CopyName::ipcq_recv, 0x30, 0x400, 0), 9_ns, 10_ns},
      {step(CopyName::ipcq_recv, 0x30, 0x400, 1), 11_ns, 30_ns},
      {step(CopyName::ipcq_send, 0x100, 0x20, 1), 12_ns, 13_ns},
      {step(CopyName::ipcq_copy, 0x20, 0x30, 1), 13_ns, 29_ns},
      {step(CopyName::ipcq_send, 0x100, 0x20, 2), 40_ns, 41_ns},
      {step(CopyName::ipcq_copy, 0x20, 0x30, 2), 41_ns, 50_ns}};
  data::test::CommittedLog log(path("run/ops.sqlite"), {kb::test::named_nodes({"sip0.a", "sip0.b"}), {}, {}});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& [op, start, end] = steps[i];
    log.record(i, data::test::record(op, i, start, end, NodeId(op.name == CopyName::ipcq_recv ? 1 : 0)));
  }
  log.finish();
  DecodedTrace decoded;
  decode_trace(trace("run"), decoded);
  EXPECT_EQ(decoded.links(),
            (std::set<std::pair<std::uint64_t, std::uint64_t>>{{0, 1}, {1, 2}, {4, 5}, {5, 3}, {6, 7}}));
}

// What operation 0 loads is first used by 2, and again by 3, to which no flow leads; nothing uses what 4 loads.
TEST_F(PerfettoTest, LoadedOperandsAreFlows) {
  write_result("run", result_of());
  const auto load = [](std::uint64_t to) { return data::CopyOp{data::CopyName::dma_read, {{0x9000, 64}}, {{to, 64}}}; };
  const auto gemm = [](std::uint64_t a, std::uint64_t b) {
    data::GemmOp op;
    op.a = data::test::at(a, {4, 4}, Dtype::f16);
    op.b = data::test::at(b, {4, 4}, Dtype::f16);
    op.out = data::test::at(0x7000, {4, 4}, Dtype::f16);
    return op;
  };
  data::test::CommittedLog log(path("run/ops.sqlite"), {kb::test::named_nodes({"sip0.a", "sip0.b"}), {}, {}});
  log.record(0, data::test::record(load(0x100), 0, 1_ns, 2_ns, NodeId(0)));
  log.record(1, data::test::record(load(0x200), 1, 2_ns, 3_ns, NodeId(0)));
  log.record(2, data::test::record(gemm(0x100, 0x200), 2, 3_ns, 8_ns, NodeId(1)));
  log.record(3, data::test::record(gemm(0x100, 0x300), 3, 8_ns, 9_ns, NodeId(1)));
  log.record(4, data::test::record(load(0x100), 4, 9_ns, 10_ns, NodeId(0)));
  log.finish();
  DecodedTrace decoded;
  decode_trace(trace("run"), decoded);
  EXPECT_EQ(decoded.links(), (std::set<std::pair<std::uint64_t, std::uint64_t>>{{0, 2}, {1, 2}}));
}

// kKnownLines: the first three operations are those of a load in a range, on three PEs or parts of one.
TEST_F(PerfettoTest, OperationsHaveTheirLinesAndRangesAreSlices) {
  write_launches();
  const std::vector<analysis::test::KnownOp> ops = {{3, 0, 5'000'000, 9'000'000},
                                                    {2, 0, 8'000'000, 20'000'000},
                                                    {3, 0, 30'000'000, 40'000'000},
                                                    {3, 0, 50'000'000, 60'000'000}};
  write_ops("run/ops.sqlite", ops, analysis::test::kKnownLines);
  DecodedTrace decoded;
  decode_trace(trace("run"), decoded);
  const std::string line = "k.cpp:7 load_async x, in layer 1 / gather";
  EXPECT_EQ(decoded.lines, (std::map<std::uint64_t, std::string>{{0, line}, {1, line}, {2, line}}));
  std::sort(decoded.ranges.begin(), decoded.ranges.end());
  EXPECT_EQ(decoded.ranges, (std::vector<Slice>{{"sip0.cube9.pe0.ranges", "gather", 5, 40, 0},
                                                {"sip0.cube9.pe0.ranges", "layer 1", 5, 40, 0}}))
      << "from the first operation to the last one of the PE, the outer range around the inner one";
}

// The range is entered again by the second launch, which begins at 2 us.
TEST_F(PerfettoTest, ARangeOfTwoLaunchesIsTwoSlices) {
  write_launches();
  const std::vector<analysis::test::KnownOp> ops = {{3, 0, 5'000'000, 9'000'000}, {3, 0, 2'100'000'000, 2'200'000'000}};
  write_ops("run/ops.sqlite", ops, analysis::test::kKnownLines);
  DecodedTrace decoded;
  decode_trace(trace("run"), decoded);
  ASSERT_EQ(decoded.ranges.size(), 4u);
  std::sort(decoded.ranges.begin(), decoded.ranges.end());
  EXPECT_EQ(decoded.ranges[0], (Slice{"sip0.cube9.pe0.ranges", "gather", 5, 9, 0}));
  EXPECT_EQ(decoded.ranges[1], (Slice{"sip0.cube9.pe0.ranges", "gather", 2100, 2200, 0}));
}

TEST_F(PerfettoTest, EqualRunsGiveEqualBytes) {
  write_launches();
  write_ops("run/ops.sqlite", analysis::test::known_ops(500, 1));
  EXPECT_EQ(trace("run"), trace("run"));
}

TEST_F(PerfettoTest, WithoutOperationsThereIsNoTrace) {
  write_launches();
  EXPECT_THROW(trace("run"), Error);
}

}  // namespace
}  // namespace kb::convert
