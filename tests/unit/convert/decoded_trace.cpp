#include "tests/unit/convert/decoded_trace.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <ostream>

namespace kb::convert::test {
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

// The state of one sequence of packets.
struct Sequence {
  std::uint64_t track = 0, clock = 0, now_ns = 0;
  std::map<std::uint64_t, std::string> names, annotations, strings;
};

struct Decoder {
  DecodedTrace& trace;
  std::map<std::uint64_t, Sequence> sequences;
  std::map<std::uint64_t, std::vector<Slice>> open;
  // In the order of packets, which is that of equal times.
  struct Step {
    std::uint64_t time_ns, flow, seq;
    std::string name;
    bool ends;
  };
  std::vector<Step> steps;

  void take_state(const Message& packet, Sequence& sequence);
  void take_event(const Message& event, Sequence& sequence);
  void take_flows(const Message& event, std::uint64_t time_ns, const Slice& slice);
  void take_packet(const Message& packet);
  void finish();
};

void Decoder::take_state(const Message& packet, Sequence& sequence) {
  if ((number(packet, 13) & 1U) != 0) sequence = {};
  if (const Field* set = find(packet, 59)) {
    const auto defaults = decode(set->bytes);
    ASSERT_TRUE(defaults);
    sequence.clock = number(*defaults, 58);
    sequence.track = number(*decode(text(*defaults, 11)), 11);
  }
  if (const Field* interned = find(packet, 12)) {
    const auto names = decode(interned->bytes);
    ASSERT_TRUE(names);
    for (const auto& [kind, entry] : *names) {
      const auto name = decode(entry.bytes);
      ASSERT_TRUE(name);
      ASSERT_TRUE(kind == 2 || kind == 3 || kind == 29);
      auto& list = kind == 2 ? sequence.names : kind == 3 ? sequence.annotations : sequence.strings;
      list[number(*name, 1)] = text(*name, 2);
    }
  }
  if (const Field* snapshot = find(packet, 6)) {
    const auto clocks = decode(snapshot->bytes);
    ASSERT_TRUE(clocks);
    for (const auto& [field, bytes] : *clocks) {
      const auto clock = decode(bytes.bytes);
      ASSERT_TRUE(clock);
      if (number(*clock, 1) == sequence.clock) {
        EXPECT_EQ(number(*clock, 3), 1u) << "the clock counts from packet to packet";
      }
      EXPECT_EQ(number(*clock, 2), 0u);
    }
    sequence.now_ns = 0;
  }
}

void Decoder::take_flows(const Message& event, std::uint64_t time_ns, const Slice& slice) {
  for (const bool ends : {false, true}) {
    const auto [begin, end] = event.equal_range(ends ? 48 : 47);
    for (auto flow = begin; flow != end; ++flow) {
      steps.push_back({time_ns, flow->second.number, slice.seq, slice.name, ends});
    }
  }
}

void Decoder::take_event(const Message& event, Sequence& sequence) {
  const std::uint64_t track = sequence.track, time = sequence.now_ns;
  ASSERT_EQ(trace.tracks.count(track), 1u) << "described before it is used";
  if (number(event, 9) == 1) {
    Slice slice{trace.path(track), text(event, 23), time, 0, 0};
    const auto [begin, end] = event.equal_range(4);
    std::string line;
    for (auto annotated = begin; annotated != end; ++annotated) {
      const auto annotation = decode(annotated->second.bytes);
      const std::string& name = sequence.annotations.at(number(*annotation, 1));
      ASSERT_TRUE(name == "seq" || name == "line") << name;
      if (name == "seq") slice.seq = number(*annotation, 3);
      if (name == "line") line = sequence.strings.at(number(*annotation, 17));
    }
    if (begin != end) slice.name = sequence.names.at(number(event, 10));
    if (!line.empty()) trace.lines[slice.seq] = line;
    take_flows(event, time, slice);
    open[track].push_back(slice);
  } else if (number(event, 9) == 2) {
    ASSERT_FALSE(open[track].empty()) << "an end without a begin";
    Slice slice = open[track].back();
    open[track].pop_back();
    slice.end_ns = time;
    take_flows(event, time, slice);
    ASSERT_GE(slice.end_ns, slice.begin_ns);
    const bool is_range = trace.tracks.at(track).name == "ranges";
    auto& list = is_range ? trace.ranges : slice.track.rfind("launches", 0) == 0 ? trace.launches : trace.operations;
    list.push_back(slice);
  } else {
    ASSERT_EQ(number(event, 9), 4u);
    trace.counters[trace.path(track)].emplace_back(time, static_cast<double>(number(event, 30)) / 10);
  }
}

void Decoder::take_packet(const Message& packet) {
  ASSERT_NE(find(packet, 10), nullptr) << "every packet is one of a sequence";
  Sequence& sequence = sequences[number(packet, 10)];
  take_state(packet, sequence);
  if (const Field* described = find(packet, 60)) {
    const auto track = decode(described->bytes);
    ASSERT_TRUE(track);
    ASSERT_TRUE(trace.tracks.emplace(number(*track, 1), DecodedTrack{text(*track, 2), number(*track, 5)}).second);
  }
  if (const Field* happened = find(packet, 11)) {
    ASSERT_EQ(sequence.clock, 64u) << "a clock of the sequence";
    sequence.now_ns += number(packet, 8);
    const auto event = decode(happened->bytes);
    ASSERT_TRUE(event);
    take_event(*event, sequence);
  }
}

// As Perfetto does, follows flows in the order of time and at equal times in that of the file.
void Decoder::finish() {
  for (const auto& [track, slices] : open) EXPECT_TRUE(slices.empty()) << "a begin without an end";
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.time_ns < b.time_ns; });
  for (const Step& step : steps) {
    DecodedTrace::Flow& flow = trace.flows[step.flow];
    EXPECT_FALSE(flow.ends) << "nothing comes behind the end of a flow";
    EXPECT_FALSE(step.ends && flow.steps.empty()) << "an end of a flow that has no begin";
    flow.steps.emplace_back(step.time_ns, step.seq, step.name);
    flow.ends = step.ends;
  }
  for (const auto& [id, flow] : trace.flows) EXPECT_GE(flow.steps.size(), 2u) << "flow " << id << " leads nowhere";
}

}  // namespace

void PrintTo(const Slice& slice, std::ostream* out) {
  *out << slice.track << " " << slice.name << " " << slice.begin_ns << " to " << slice.end_ns << " #" << slice.seq;
}

std::string DecodedTrace::path(std::uint64_t uuid) const {
  const DecodedTrack& track = tracks.at(uuid);
  return (track.parent == 0 ? "" : path(track.parent) + ".") + track.name;
}

std::set<std::pair<std::uint64_t, std::uint64_t>> DecodedTrace::links() const {
  std::set<std::pair<std::uint64_t, std::uint64_t>> links;
  for (const auto& [id, flow] : flows) {
    if (std::get<2>(flow.steps[0]).front() == '#') continue;  // of a launch
    for (std::size_t i = 1; i < flow.steps.size(); ++i) {
      links.emplace(std::get<1>(flow.steps[i - 1]), std::get<1>(flow.steps[i]));
    }
  }
  return links;
}

void decode_trace(const std::string& bytes, DecodedTrace& trace) {
  Decoder decoder{trace, {}, {}, {}};
  const auto packets = decode(bytes);
  ASSERT_TRUE(packets) << "not well-formed";
  // A multimap keeps the order of equal keys, and packets are the only field.
  for (const auto& [field, content] : *packets) {
    ASSERT_EQ(field, 1u);
    const auto packet = decode(content.bytes);
    ASSERT_TRUE(packet);
    decoder.take_packet(*packet);
    if (testing::Test::HasFatalFailure()) return;
  }
  decoder.finish();
}

}  // namespace kb::convert::test
