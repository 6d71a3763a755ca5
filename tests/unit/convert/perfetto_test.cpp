// A trace of Perfetto says what the operation log says.
#include "sim/convert/perfetto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "platform/base/error.h"
#include "platform/record/activity_recorder.h"
#include "tests/unit/web/run_folders.h"

namespace kb::convert {
namespace {

// Any message of Protocol Buffers; empty when it is not well-formed.
struct Field {
  std::uint64_t number = 0;  // also the bits of a double
  std::string bytes;
};
using Message = std::multimap<std::uint32_t, Field>;

std::optional<std::uint64_t> varint(const std::string& bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<Message> decode(const std::string& bytes) {
  Message message;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto tag = varint(bytes, at);
    if (!tag) return std::nullopt;
    Field field;
    const std::uint64_t type = *tag & 7U;
    if (type == 0) {
      const auto value = varint(bytes, at);
      if (!value) return std::nullopt;
      field.number = *value;
    } else {
      const auto size = type == 2 ? varint(bytes, at) : std::optional<std::uint64_t>(8);
      if ((type != 1 && type != 2) || !size || *size > bytes.size() - at) return std::nullopt;
      field.bytes = bytes.substr(at, *size);
      if (type == 1) std::memcpy(&field.number, field.bytes.data(), 8);
      at += *size;
    }
    message.emplace(static_cast<std::uint32_t>(*tag >> 3U), std::move(field));
  }
  return message;
}

const Field* find(const Message& message, std::uint32_t field) {
  const auto found = message.find(field);
  return found == message.end() ? nullptr : &found->second;
}
std::uint64_t number(const Message& message, std::uint32_t field) {
  const Field* found = find(message, field);
  return found == nullptr ? 0 : found->number;
}
std::string text(const Message& message, std::uint32_t field) {
  const Field* found = find(message, field);
  return found == nullptr ? "" : found->bytes;
}

struct Track {
  std::string name;
  std::uint64_t parent = 0;
};
struct Slice {
  std::string track, name;  // "sip0.cube0.pe0.pe_dma"
  std::uint64_t begin_ns = 0, end_ns = 0, seq = 0;
  friend bool operator==(const Slice& a, const Slice& b) { return a.key() == b.key(); }
  friend bool operator<(const Slice& a, const Slice& b) { return a.key() < b.key(); }
  std::tuple<std::uint64_t, std::string, std::string, std::uint64_t, std::uint64_t> key() const {
    return {seq, track, name, begin_ns, end_ns};
  }
};
void PrintTo(const Slice& slice, std::ostream* out) {
  *out << slice.track << " " << slice.name << " " << slice.begin_ns << " to " << slice.end_ns << " #" << slice.seq;
}

// What a reader makes of a trace.
struct Decoded {
  std::map<std::uint64_t, Track> tracks;
  std::map<std::uint64_t, std::string> names;
  std::vector<Slice> operations, launches;
  std::map<std::string, std::vector<std::pair<std::uint64_t, double>>> counters;  // by track
  // By number: the seq of the operation at whose begin it leaves, at whose end it arrives, and when.
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> leaves, arrives;

  std::string path(std::uint64_t uuid) const {
    const Track& track = tracks.at(uuid);
    return (track.parent == 0 ? "" : path(track.parent) + ".") + track.name;
  }
};

void take_event(const Message& packet, const Message& event, Decoded& decoded,
                std::map<std::uint64_t, std::vector<Slice>>& open) {
  const std::uint64_t track = number(event, 11), time = number(packet, 8);
  ASSERT_EQ(decoded.tracks.count(track), 1u) << "described before it is used";
  if (number(event, 9) == 1) {
    const auto annotation = decode(text(event, 4));
    const std::string name = find(event, 23) != nullptr ? text(event, 23) : decoded.names.at(number(event, 10));
    open[track].push_back({decoded.path(track), name, time, 0, number(*annotation, 3)});
    if (const Field* flow = find(event, 47)) decoded.leaves[flow->number] = {open[track].back().seq, time};
  } else if (number(event, 9) == 2) {
    ASSERT_FALSE(open[track].empty()) << "an end without a begin";
    Slice slice = open[track].back();
    open[track].pop_back();
    slice.end_ns = time;
    if (const Field* flow = find(event, 48)) decoded.arrives[flow->number] = {slice.seq, time};
    ASSERT_GE(slice.end_ns, slice.begin_ns);
    (find(event, 9) != nullptr && slice.track.rfind("launches", 0) == 0 ? decoded.launches : decoded.operations)
        .push_back(slice);
  } else {
    ASSERT_EQ(number(event, 9), 4u);
    double value = 0;
    std::memcpy(&value, &event.find(44)->second.number, sizeof value);
    decoded.counters[decoded.path(track)].emplace_back(time, value);
  }
}

void decode_trace(const std::string& bytes, Decoded& decoded) {
  std::map<std::uint64_t, std::vector<Slice>> open;
  const auto trace = decode(bytes);
  ASSERT_TRUE(trace) << "not well-formed";
  for (const auto& [field, content] : *trace) {
    ASSERT_EQ(field, 1u);
    const auto packet = decode(content.bytes);
    ASSERT_TRUE(packet);
    ASSERT_EQ(number(*packet, 10), 1u) << "one sequence of packets";
    if (const Field* interned = find(*packet, 12)) {
      const auto names = decode(interned->bytes);
      ASSERT_TRUE(names);
      for (auto [at, end] = names->equal_range(2); at != end; ++at) {
        const auto name = decode(at->second.bytes);
        ASSERT_TRUE(name);
        decoded.names[number(*name, 1)] = text(*name, 2);
      }
    }
    if (const Field* described = find(*packet, 60)) {
      const auto track = decode(described->bytes);
      ASSERT_TRUE(track);
      ASSERT_TRUE(decoded.tracks.emplace(number(*track, 1), Track{text(*track, 2), number(*track, 5)}).second);
    }
    if (const Field* happened = find(*packet, 11)) {
      const auto event = decode(happened->bytes);
      ASSERT_TRUE(event);
      take_event(*packet, *event, decoded, open);
    }
  }
  for (const auto& [track, slices] : open) EXPECT_TRUE(slices.empty()) << "a begin without an end";
}

class PerfettoTest : public web::test::RunFolders {
 protected:
  std::string trace(const std::string& folder, const PerfettoOptions& options = {}) const {
    std::string bytes;
    write_perfetto(web::RunFolder(path(folder)), options, [&](std::string_view piece) { bytes += piece; });
    return bytes;
  }
  static constexpr const char* kResult =
      R"({"schema": 2, "ok": true, "launches": [
           {"id": 3, "kernel": "k", "sip": 0, "submit_ns": 1.5, "start_ns": 2, "completed_ns": 100},
           {"id": 4, "kernel": "k", "sip": 0, "submit_ns": 50, "start_ns": 60, "completed_ns": 120.999999}]})";
};

TEST_F(PerfettoTest, EveryOperationWithItsTimes) {
  write("run/result.json", kResult);
  const std::vector<web::test::KnownOp> ops = web::test::known_ops(3000, 5);
  write_ops("run/ops.sqlite", ops);
  Decoded decoded;
  decode_trace(trace("run"), decoded);
  std::vector<Slice> expected;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    expected.push_back({web::test::kComponents[ops[i].component], web::test::kOperations[ops[i].operation],
                        static_cast<std::uint64_t>(ops[i].start_fs / 1'000'000),
                        static_cast<std::uint64_t>(ops[i].end_fs / 1'000'000), i});
  }
  std::sort(decoded.operations.begin(), decoded.operations.end());
  EXPECT_EQ(decoded.operations, expected);
}

TEST_F(PerfettoTest, LaunchesThatOverlapLieBelowEachOther) {
  write("run/result.json", kResult);
  write_ops("run/ops.sqlite", {});
  Decoded decoded;
  decode_trace(trace("run"), decoded);
  std::sort(decoded.launches.begin(), decoded.launches.end());
  EXPECT_EQ(decoded.launches, (std::vector<Slice>{{"launches.sip0", "#3 k", 1, 100, 0},
                                                  {"launches.sip0", "#4 k", 50, 120, 0},
                                                  {"launches.sip0", "since the start of the kernel", 2, 100, 0},
                                                  {"launches.sip0", "since the start of the kernel", 60, 120, 0}}));
  EXPECT_EQ(std::count_if(decoded.tracks.begin(), decoded.tracks.end(),
                          [](const auto& track) { return track.second.name == "sip0"; }),
            2);
}

TEST_F(PerfettoTest, OddLaunchesAreLeftOut) {
  write("run/result.json", R"({"schema": 2, "ok": true, "launches": [
           7, {"kernel": 5}, {"submit_ns": "1", "completed_ns": 3}, {"submit_ns": 4, "completed_ns": 3, "sip": "a"}]})");
  write_ops("run/ops.sqlite", {});
  Decoded decoded;
  decode_trace(trace("run"), decoded);
  EXPECT_TRUE(decoded.launches.empty());
}

TEST_F(PerfettoTest, CountersAreTheSharesOfTheActivity) {
  record::ActivityRecorder recorder(2);
  recorder.add_series({NodeId(0), record::SeriesKind::dma, "read", NodeId(), 0, 0, 1})
      .add({0_ns, 1'000_ns, 500_ns, 0_fs, 0, 0});
  recorder.add_series({NodeId(0), record::SeriesKind::link, "to", NodeId(), 0, 0, 1})
      .add({0_ns, 10_ns, 10_ns, 0_fs, 64, 0});
  recorder.finish(2'000_ns);
  write("run/result.json", R"({"schema": 2, "ok": true, "launches": []})");
  data::OpLog::Options options{{"sip0.a"}, {}, {}};
  options.activity = &recorder;
  options.series_label = [](const record::SeriesInfo& info) { return std::string(info.name); };
  data::test::CommittedLog log(path("run/ops.sqlite"), options);
  log.finish();
  Decoded decoded;
  decode_trace(trace("run"), decoded);
  ASSERT_EQ(decoded.counters.size(), 1u);
  const auto& values = decoded.counters.at("sip0.a.read");
  double percent_ns = 0;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    percent_ns += values[i].second * static_cast<double>(values[i + 1].first - values[i].first);
  }
  EXPECT_NEAR(percent_ns / 100, 500, 2) << "as exact as nanoseconds are";
  EXPECT_EQ(values.back().second, 0);
  Decoded with_wires;
  decode_trace(trace("run", {true}), with_wires);
  EXPECT_EQ(with_wires.counters.size(), 2u);
}

// Two messages through one slot, the second of which is awaited before it is sent; a third one is never received.
TEST_F(PerfettoTest, MessagesAreFlows) {
  write("run/result.json", kResult);
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
  data::test::CommittedLog log(path("run/ops.sqlite"), {{"sip0.a", "sip0.b"}, {}, {}});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& [op, start, end] = steps[i];
    log.record(i, data::test::record(op, i, start, end, NodeId(op.name == CopyName::ipcq_recv ? 1 : 0)));
  }
  log.finish();
  Decoded decoded;
  decode_trace(trace("run"), decoded);
  ASSERT_EQ(decoded.leaves.size(), decoded.arrives.size()) << "every flow has both ends";
  std::set<std::pair<std::uint64_t, std::uint64_t>> links;
  for (const auto& [flow, from] : decoded.leaves) {
    ASSERT_EQ(decoded.arrives.count(flow), 1u);
    const auto& to = decoded.arrives[flow];
    EXPECT_LE(from.second, to.second) << "forward in time";
    links.emplace(from.first, to.first);
  }
  EXPECT_EQ(links, (std::set<std::pair<std::uint64_t, std::uint64_t>>{{0, 1}, {1, 2}, {4, 5}, {5, 3}, {6, 7}}));
}

TEST_F(PerfettoTest, EqualRunsGiveEqualBytes) {
  write("run/result.json", kResult);
  write_ops("run/ops.sqlite", web::test::known_ops(500, 1));
  EXPECT_EQ(trace("run"), trace("run"));
}

TEST_F(PerfettoTest, WithoutOperationsThereIsNoTrace) {
  write("run/result.json", kResult);
  EXPECT_THROW(trace("run"), Error);
}

}  // namespace
}  // namespace kb::convert
