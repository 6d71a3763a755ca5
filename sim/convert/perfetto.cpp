#include "sim/convert/perfetto.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/base/error.h"
#include "platform/base/units.h"
#include "sim/convert/gzip.h"
#include "sim/convert/message_flows.h"
#include "sim/convert/proto_message.h"
#include "sim/web/timeline.h"

namespace kb::convert {
namespace {

using Json = nlohmann::json;

// Numbers of fields in perfetto/protos/perfetto/trace.
namespace packet {
constexpr std::uint32_t kInTrace = 1, kTimestamp = 8, kSequence = 10, kEvent = 11, kInterned = 12, kFlags = 13,
                        kTrack = 60;
constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;
}  // namespace packet
namespace event {
constexpr std::uint32_t kCategory = 3, kAnnotation = 4, kType = 9, kName = 10, kTrack = 11, kNameText = 23,
                        kCounter = 44, kFlow = 47, kFlowEnd = 48;
constexpr std::uint64_t kBegin = 1, kEnd = 2, kValue = 4;
}  // namespace event
namespace track {
constexpr std::uint32_t kUuid = 1, kName = 2, kParent = 5, kCounter = 8, kOrdering = 11, kRank = 12;
constexpr std::uint32_t kUnitName = 6;  // of a counter
constexpr std::uint64_t kExplicit = 3;
}  // namespace track
namespace interned {
constexpr std::uint32_t kCategories = 1, kNames = 2, kAnnotations = 3, kId = 1, kText = 2;
}  // namespace interned
namespace annotation {
constexpr std::uint32_t kName = 1, kUnsigned = 3;
}  // namespace annotation

constexpr std::uint64_t kSeqAnnotation = 1;
constexpr std::uint64_t kLaunches = 1, kFirstRow = 2;  // uuids

std::uint64_t whole_ns(std::int64_t fs) {
  return static_cast<std::uint64_t>(fs / (1_ns).fs());
}

// Operations that overlap get lanes, each the first that is free.
class Lanes {
 public:
  std::size_t take(std::int64_t start_fs, std::int64_t end_fs) {
    const auto free = std::find_if(ends_.begin(), ends_.end(), [&](std::int64_t end) { return end <= start_fs; });
    const auto lane = static_cast<std::size_t>(free - ends_.begin());
    if (free == ends_.end()) ends_.push_back(0);
    ends_[lane] = end_fs;
    return lane;
  }
  std::size_t count() const { return ends_.size(); }

 private:
  std::vector<std::int64_t> ends_;
};

class Trace {
 public:
  Trace(const web::RunFolder& run, const std::function<void(std::string_view)>& write) : run_(run), write_(write) {}

  void write(const PerfettoOptions& options) {
    write_names();
    write_tracks();
    write_launches();
    write_operations();
    write_counters(options);
    flush(0);
  }

 private:
  void write_names();
  void write_tracks();
  void write_launches();
  void write_operations();
  void write_counters(const PerfettoOptions& options);

  void packet(ProtoMessage&& body) {
    body.number(packet::kSequence, 1);
    ProtoMessage framed;
    framed.message(packet::kInTrace, body);
    buffer_ += framed.bytes();
    constexpr std::size_t kBuffer = std::size_t{1} << 20;
    flush(kBuffer);
  }
  void flush(std::size_t from) {
    if (buffer_.size() <= from) return;
    write_(buffer_);
    buffer_.clear();
  }
  void add_track(std::uint64_t uuid, std::uint64_t parent, const std::string& name, std::uint64_t rank,
                 const char* counter_unit = nullptr) {
    ProtoMessage descriptor;
    descriptor.number(track::kUuid, uuid).text(track::kName, name);
    if (parent != 0) descriptor.number(track::kParent, parent);
    if (counter_unit != nullptr) {
      descriptor.message(track::kCounter, ProtoMessage().text(track::kUnitName, counter_unit));
    }
    descriptor.number(track::kOrdering, track::kExplicit).number(track::kRank, rank);
    ProtoMessage body;
    packet(std::move(body.message(packet::kTrack, descriptor)));
  }
  void add_event(std::int64_t time_fs, const ProtoMessage& what) {
    ProtoMessage body;
    body.number(packet::kTimestamp, whole_ns(time_fs)).message(packet::kEvent, what);
    packet(std::move(body.number(packet::kFlags, packet::kNeedsState)));
  }
  void add_slice(std::uint64_t uuid, const std::string& name, std::int64_t start_fs, std::int64_t end_fs) {
    ProtoMessage begin, end;
    add_event(start_fs,
              begin.number(event::kType, event::kBegin).number(event::kTrack, uuid).text(event::kNameText, name));
    add_event(end_fs, end.number(event::kType, event::kEnd).number(event::kTrack, uuid));
  }
  // The track of a lane of a row: the row's own, or one more of its name.
  std::uint64_t lane_uuid(std::size_t row, std::size_t lane) const {
    return (static_cast<std::uint64_t>(lane) << 32U) + kFirstRow + row;
  }
  std::uint64_t parent_uuid(std::size_t row) const {
    const int parent = rows_[row].parent;
    return parent < 0 ? 0 : kFirstRow + static_cast<std::uint64_t>(parent);
  }

  const web::RunFolder& run_;
  const std::function<void(std::string_view)>& write_;
  std::string buffer_;
  std::vector<web::TimelineRow> rows_;
  std::map<std::string, std::size_t> row_of_;
  std::map<std::int64_t, std::uint64_t> category_of_;  // by operation
  std::uint64_t next_uuid_ = std::uint64_t{1} << 62;   // of tracks that are none of a row
};

void Trace::write_names() {
  std::map<std::string, std::uint64_t> categories;
  ProtoMessage names;
  for (const auto& operation : run_.operations().names().operations) {
    const auto [category, is_new] = categories.emplace(operation.kind, categories.size() + 1);
    category_of_[operation.id] = category->second;
    if (is_new) {
      ProtoMessage entry;
      entry.number(interned::kId, category->second).text(interned::kText, operation.kind);
      names.message(interned::kCategories, entry);
    }
    ProtoMessage entry;
    entry.number(interned::kId, static_cast<std::uint64_t>(operation.id) + 1).text(interned::kText, operation.name);
    names.message(interned::kNames, entry);
  }
  ProtoMessage seq;
  names.message(interned::kAnnotations, seq.number(interned::kId, kSeqAnnotation).text(interned::kText, "seq"));
  ProtoMessage body;
  packet(std::move(body.message(packet::kInterned, names).number(packet::kFlags, packet::kStateCleared)));
}

void Trace::write_tracks() {
  data::OpLogNames names = run_.operations().names();
  std::map<std::string, std::int64_t> known;
  for (const auto& [id, name] : names.components) known.emplace(name, id);
  std::int64_t next = -2;  // below every id of the file
  for (const auto& series : run_.activity().series()) {
    if (known.emplace(series.component, next).second) names.components.emplace_back(next--, series.component);
  }
  rows_ = web::Timeline(names).rows();
  ProtoMessage root, body;
  root.number(track::kUuid, 0).number(track::kOrdering, track::kExplicit);
  packet(std::move(body.message(packet::kTrack, root)));
  add_track(kLaunches, 0, "launches", 0);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    row_of_[rows_[row].name] = row;
    add_track(lane_uuid(row, 0), parent_uuid(row), rows_[row].label, row + 1);
  }
}

// Each launch, and the time of its kernel within it; those of a SIP that overlap lie below each other.
void Trace::write_launches() {
  struct Span {
    std::int64_t submitted, completed, start;
    std::string name;
  };
  std::map<std::int64_t, std::vector<Span>> by_sip;
  const Json summary = Json::parse(run_.summary());
  for (const Json& launch : summary["launches"]) {
    const auto member = [&](const char* name) { return launch.value(name, Json()); };
    const auto text = [&](const char* name) { return member(name).is_string() ? member(name).get<std::string>() : ""; };
    const auto fs = [&](const char* name) { return text(name).empty() ? -1 : std::stoll(text(name)); };
    const Span span{fs("submit_fs"), fs("completed_fs"), fs("start_fs"),
                    "#" + member("id").dump() + " " + text("kernel")};
    if (span.submitted < 0 || span.completed < span.submitted) continue;
    by_sip[member("sip").is_number_integer() ? member("sip").get<std::int64_t>() : -1].push_back(span);
  }
  for (auto& [sip, spans] : by_sip) {
    std::stable_sort(spans.begin(), spans.end(),
                     [](const Span& a, const Span& b) { return a.submitted < b.submitted; });
    const std::string name = sip < 0 ? "all SIPs" : "sip" + std::to_string(sip);
    Lanes lanes;
    std::vector<std::uint64_t> uuids;
    for (const Span& span : spans) {
      const std::size_t lane = lanes.take(span.submitted, span.completed);
      if (lane == uuids.size()) {
        uuids.push_back(next_uuid_++);
        add_track(uuids.back(), kLaunches, name, static_cast<std::uint64_t>(sip + 1));
      }
      ProtoMessage begin, end;
      add_event(span.submitted, begin.number(event::kType, event::kBegin)
                                    .number(event::kTrack, uuids[lane])
                                    .text(event::kNameText, span.name));
      if (span.start >= span.submitted && span.start < span.completed) {
        add_slice(uuids[lane], "since the start of the kernel", span.start, span.completed);
      }
      add_event(span.completed, end.number(event::kType, event::kEnd).number(event::kTrack, uuids[lane]));
    }
  }
}

// A flow leaves at the begin of an operation and arrives at the end of the next one, because a receive may begin before
// the message was sent, and Perfetto follows flows in the order of time.
void Trace::write_operations() {
  const MessageFlows flows(run_.operations());
  for (const auto& [id, name] : run_.operations().names().components) {
    const std::size_t row = row_of_.at(name);
    Lanes lanes;
    run_.operations().scan_component(id, [&](const data::OpRow& op) {
      if (op.start_fs < 0 || op.end_fs < op.start_fs) {
        throw Error::configuration("operation " + std::to_string(op.seq) + " of the run has impossible times");
      }
      const std::size_t before = lanes.count(), lane = lanes.take(op.start_fs, op.end_fs);
      if (lane == before && lane > 0) add_track(lane_uuid(row, lane), parent_uuid(row), rows_[row].label, row + 1);
      ProtoMessage begin, end, seq;
      begin.number(event::kType, event::kBegin).number(event::kTrack, lane_uuid(row, lane));
      begin.number(event::kName, static_cast<std::uint64_t>(op.operation) + 1);
      begin.number(event::kCategory, category_of_[op.operation]);
      seq.number(annotation::kName, kSeqAnnotation).number(annotation::kUnsigned, static_cast<std::uint64_t>(op.seq));
      end.number(event::kType, event::kEnd).number(event::kTrack, lane_uuid(row, lane));
      if (const std::uint64_t flow = flows.begin(op.seq)) begin.fixed(event::kFlow, flow);
      if (const std::uint64_t flow = flows.end(op.seq)) end.fixed(event::kFlowEnd, flow);
      add_event(op.start_fs, begin.message(event::kAnnotation, seq));
      add_event(op.end_fs, end);
      return true;
    });
  }
}

void Trace::write_counters(const PerfettoOptions& options) {
  const web::Activity& activity = run_.activity();
  for (std::size_t i = 0; i < activity.series().size(); ++i) {
    const data::ActivityTables::Series& series = activity.series()[i];
    if (series.kind == "state" || (series.kind == "link" && !options.wires)) continue;
    const std::uint64_t uuid = next_uuid_++;
    add_track(uuid, lane_uuid(row_of_.at(series.component), 0), series.name, i, "%");
    const auto value = [&](std::int64_t time_fs, double percent) {
      ProtoMessage what;
      what.number(event::kType, event::kValue).number(event::kTrack, uuid).real(event::kCounter, percent);
      add_event(time_fs, what);
    };
    std::int64_t last_end = -1;
    activity.for_each_bin(i, [&](std::int64_t begin, std::int64_t end, double busy_fs) {
      if (last_end >= 0 && last_end < begin) value(last_end, 0);
      const double units = static_cast<double>(std::max<std::int64_t>(1, series.units));
      constexpr double kPercent = 100;
      value(begin, kPercent * busy_fs / (units * static_cast<double>(end - begin)));
      last_end = end;
    });
    if (last_end >= 0) value(last_end, 0);
  }
}

}  // namespace

void write_perfetto(const web::RunFolder& run, const PerfettoOptions& options,
                    const std::function<void(std::string_view)>& write) {
  if (!run.has_operations()) {
    throw Error::configuration("the run '" + run.name() +
                               "' has no ops.sqlite; run it again with --record DIR in place of --out DIR");
  }
  Trace(run, write).write(options);
}

void write_perfetto_file(const web::RunFolder& run, const PerfettoOptions& options, observe::OutputFile& file) {
  const auto write = [&](std::string_view bytes) { file.write(bytes); };
  constexpr std::string_view kPacked = ".gz";
  const std::string& path = file.path();
  if (path.size() > kPacked.size() && path.substr(path.size() - kPacked.size()) == kPacked) {
    Gzip gzip(write);
    write_perfetto(run, options, [&](std::string_view bytes) { gzip.add(bytes); });
    gzip.finish();
  } else {
    write_perfetto(run, options, write);
  }
  file.commit();
}

}  // namespace kb::convert
