#include "sim/analysis/convert/trace_stream.h"

#include <algorithm>

#include "platform/base/units.h"

namespace kb::convert {
namespace {

// Field numbers of perfetto/protos/perfetto/trace.
namespace packet {
constexpr std::uint32_t kInTrace = 1, kClocks = 6, kTimestamp = 8, kSequence = 10, kEvent = 11, kInterned = 12,
                        kFlags = 13, kDefaults = 59, kTrack = 60;
constexpr std::uint64_t kStateCleared = 1;
}  // namespace packet
namespace defaults {
constexpr std::uint32_t kClock = 58, kEvent = 11;
}  // namespace defaults
namespace clocks {
constexpr std::uint32_t kClock = 1, kId = 1, kTime = 2, kIncremental = 3;
constexpr std::uint64_t kTraceClock = 6;      // "boot time", that of the whole trace
constexpr std::uint64_t kSequenceClock = 64;  // the first that belongs to a sequence
}  // namespace clocks
namespace event {
constexpr std::uint32_t kAnnotation = 4, kType = 9, kName = 10, kTrack = 11, kNameText = 23, kCounter = 30, kFlow = 47,
                        kFlowEnd = 48;
constexpr std::uint64_t kBegin = 1, kEnd = 2, kValue = 4;
}  // namespace event
namespace track {
constexpr std::uint32_t kUuid = 1, kName = 2, kParent = 5, kCounter = 8, kOrdering = 11, kRank = 12;
constexpr std::uint32_t kUnitName = 6;  // of a counter
constexpr std::uint64_t kExplicit = 3;
}  // namespace track
namespace interned {
constexpr std::uint32_t kNames = 2, kAnnotations = 3, kStrings = 29, kId = 1, kText = 2;
}  // namespace interned
namespace annotation {
constexpr std::uint32_t kName = 1, kUnsigned = 3, kString = 17;
}  // namespace annotation

constexpr std::uint64_t kSeqAnnotation = 1, kLineAnnotation = 2;
constexpr std::uint32_t kDescribing = 1;  // sequence

}  // namespace

void TraceStream::flush() {
  if (!buffer_.empty()) write_(buffer_);
  buffer_.clear();
}

void TraceStream::finish_packet(std::uint32_t sequence) {
  constexpr std::size_t kBuffer = std::size_t{1} << 20;
  packet_.number(packet::kSequence, sequence);
  ProtoMessage::append_message(buffer_, packet::kInTrace, packet_);
  packet_.clear();
  if (buffer_.size() > kBuffer) flush();
}

void TraceStream::finish_event(Track& track, std::int64_t time_fs) {
  const auto ns = static_cast<std::uint64_t>(time_fs / (1_ns).fs());
  packet_.number(packet::kTimestamp, ns - track.last_ns).message(packet::kEvent, event_);
  track.last_ns = ns;
  event_.clear();
  finish_packet(track.sequence);
}

void TraceStream::describe_root() {
  ProtoMessage root;
  packet_.message(packet::kTrack, root.number(track::kUuid, 0).number(track::kOrdering, track::kExplicit));
  finish_packet(kDescribing);
}

void TraceStream::describe(std::uint64_t uuid, std::uint64_t parent, std::string_view name, std::uint64_t rank,
                           std::string_view counter_unit) {
  ProtoMessage descriptor;
  descriptor.number(track::kUuid, uuid).text(track::kName, name);
  if (parent != 0) descriptor.number(track::kParent, parent);
  if (!counter_unit.empty()) {
    descriptor.message(track::kCounter, ProtoMessage().text(track::kUnitName, counter_unit));
  }
  packet_.message(packet::kTrack, descriptor.number(track::kOrdering, track::kExplicit).number(track::kRank, rank));
  finish_packet(kDescribing);
}

TraceStream::Track TraceStream::start(std::uint64_t uuid) {
  Track track;
  track.sequence = ++last_sequence_;
  track.known.resize(names_.size());
  track.known_lines.resize(lines_.size());
  ProtoMessage both, trace_clock, own_clock, settings, of_events;
  trace_clock.number(clocks::kId, clocks::kTraceClock).number(clocks::kTime, 0);
  own_clock.number(clocks::kId, clocks::kSequenceClock).number(clocks::kTime, 0).number(clocks::kIncremental, 1);
  packet_.number(packet::kFlags, packet::kStateCleared);
  packet_.message(packet::kClocks, both.message(clocks::kClock, trace_clock).message(clocks::kClock, own_clock));
  settings.number(defaults::kClock, clocks::kSequenceClock);
  packet_.message(packet::kDefaults, settings.message(defaults::kEvent, of_events.number(event::kTrack, uuid)));
  finish_packet(track.sequence);
  return track;
}

// Adds the name and the line of a slice if the sequence of the track does not have them yet.
void TraceStream::define(Track& track, const Slice& slice) {
  const bool has_line = slice.line == 0 || track.known_lines[slice.line];
  if (track.known[slice.name] && has_line) return;
  const bool first = std::find(track.known.begin(), track.known.end(), true) == track.known.end();
  ProtoMessage names, text, line, seq, line_name;
  const auto entry = [&](ProtoMessage& message, std::uint64_t id, std::string_view what) -> ProtoMessage& {
    return message.number(interned::kId, id).text(interned::kText, what);
  };
  if (!track.known[slice.name]) names.message(interned::kNames, entry(text, slice.name + 1, names_[slice.name]));
  if (first) {
    names.message(interned::kAnnotations, entry(seq, kSeqAnnotation, "seq"));
    names.message(interned::kAnnotations, entry(line_name, kLineAnnotation, "line"));
  }
  if (!has_line) names.message(interned::kStrings, entry(line, slice.line, lines_[slice.line]));
  track.known[slice.name] = track.known_lines[slice.line] = true;
  packet_.message(packet::kInterned, names);
}

void TraceStream::begin(Track& track, std::int64_t time_fs, const Slice& slice) {
  define(track, slice);
  annotation_.clear();
  annotation_.number(annotation::kName, kSeqAnnotation).number(annotation::kUnsigned, slice.seq);
  event_.message(event::kAnnotation, annotation_);
  if (slice.line != 0) {
    annotation_.clear();
    annotation_.number(annotation::kName, kLineAnnotation).number(annotation::kString, slice.line);
    event_.message(event::kAnnotation, annotation_);
  }
  event_.number(event::kType, event::kBegin).number(event::kName, slice.name + 1);
  if (slice.passes != 0) event_.fixed(event::kFlow, slice.passes);
  for (const std::uint64_t flow : slice.arrives) {
    if (flow != 0) event_.fixed(event::kFlowEnd, flow);
  }
  finish_event(track, time_fs);
}

void TraceStream::begin(Track& track, std::int64_t time_fs, std::string_view name, std::uint64_t passes,
                        std::uint64_t arrives) {
  event_.number(event::kType, event::kBegin).text(event::kNameText, name);
  if (passes != 0) event_.fixed(event::kFlow, passes);
  if (arrives != 0) event_.fixed(event::kFlowEnd, arrives);
  finish_event(track, time_fs);
}

void TraceStream::end(Track& track, std::int64_t time_fs, std::uint64_t arrives) {
  event_.number(event::kType, event::kEnd);
  if (arrives != 0) event_.fixed(event::kFlowEnd, arrives);
  finish_event(track, time_fs);
}

void TraceStream::value(Track& track, std::int64_t time_fs, std::uint64_t value) {
  event_.number(event::kType, event::kValue).number(event::kCounter, value);
  finish_event(track, time_fs);
}

}  // namespace kb::convert
