#include "sim/analysis/convert/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/observe/packed_file.h"
#include "sim/analysis/convert/flows.h"
#include "sim/analysis/convert/perfetto_counters.h"
#include "sim/analysis/convert/perfetto_ranges.h"
#include "sim/analysis/convert/trace_stream.h"
#include "sim/analysis/recorded/timeline.h"

namespace kb::convert {
namespace {

constexpr std::uint64_t kLaunches = 1, kFirstRow = 2;                    // numbers of tracks
constexpr std::uint64_t kFirstLaunchFlow = std::uint64_t{1} << 62;       // above those of operations
constexpr std::size_t kOperationsPerRange = 8, kLeastRanges = 4096;      // at least, when there are many ranges
constexpr std::uint64_t kCounterBytes = 4;                               // per operation, and
constexpr std::uint64_t kLeastCounterBytes = std::uint64_t{512} << 10U;  // in any case

// Assigns each overlapping operation to the first free lane.
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

// Work to be done at the end of an operation, in order of time; at equal times in the order in which the operations
// began.
struct OpenEnd {
  std::int64_t end_fs = 0;
  std::uint64_t number = 0;
  TraceStream::Track* track = nullptr;
  std::optional<Flows::Key> awaits;

  friend bool operator<(const OpenEnd& a, const OpenEnd& b) {  // the first is the largest
    return std::pair(b.end_fs, b.number) < std::pair(a.end_fs, a.number);
  }
};

class Trace {
 public:
  Trace(const analysis::RunFolder& run, const std::function<void(std::string_view)>& write)
      : run_(run), trace_(names_of(run), lines_of(run), write), ranges_(run) {
    for (const auto& place : run.operations().names().places)
      line_of_place_.emplace(place.id, line_of_place_.size() + 1);
  }

  void write(const PerfettoOptions& options) {
    write_tracks();
    write_launches();
    write_operations();
    write_ranges();
    write_counters(options);
    trace_.flush();
  }

 private:
  // A row of the timeline, and its tracks with operations.
  struct Row {
    analysis::TimelineRow is;
    Lanes lanes;
    std::vector<std::unique_ptr<TraceStream::Track>> tracks{};
  };

  static std::vector<std::string> names_of(const analysis::RunFolder& run) {
    std::vector<std::string> names;
    for (const auto& operation : run.operations().names().operations) names.push_back(operation.name);
    return names;
  }

  // "ahead.cpp:34 load_into_async h, in layer 1"; the first stands for no line.
  static std::vector<std::string> lines_of(const analysis::RunFolder& run) {
    std::vector<std::string> lines(1);
    for (const auto& place : run.operations().names().places) {
      std::string text = fmt::format("{}:{} {}", place.file.substr(place.file.rfind('/') + 1), place.line, place.call);
      if (!place.tensor.empty()) text += ' ' + place.tensor;
      if (!place.range.empty()) text += ", in " + place.range;
      lines.push_back(std::move(text));
    }
    return lines;
  }

  void write_tracks();
  void write_launches();
  void write_operations();
  void write_ranges();
  void write_counters(const PerfettoOptions& options);
  TraceStream::Track& lane_of(std::size_t row, const data::OpRow& op);
  void write_ends(std::priority_queue<OpenEnd>& open, std::int64_t until_fs, Flows& flows);

  std::uint64_t parent_uuid(std::size_t row) const {
    const int parent = rows_[row].is.parent;
    return parent < 0 ? 0 : kFirstRow + static_cast<std::uint64_t>(parent);
  }

  const analysis::RunFolder& run_;
  TraceStream trace_;
  RangeSlices ranges_;
  std::map<std::int64_t, std::size_t> line_of_place_;  // as in lines_of()
  std::vector<Row> rows_;
  std::map<std::string, std::size_t> row_of_;
  std::uint64_t next_uuid_ = kFirstRow;
};

void Trace::write_tracks() {
  data::OpLogNames names = run_.operations().names();
  std::map<std::string, std::int64_t> known;
  for (const auto& [id, node] : names.components) known.emplace(node.id, id);
  std::int64_t next = -2;  // below every id of the file
  for (const auto& series : run_.activity().series()) {
    if (known.emplace(series.component, next).second) {
      names.components.push_back({next--, *run_.nodes().find(series.component)});
    }
  }
  const analysis::Timeline timeline(names);
  for (const analysis::TimelineRow& row : timeline.rows()) rows_.push_back({row, {}});
  trace_.describe_root();
  trace_.describe(kLaunches, 0, "launches", 0);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    row_of_[rows_[row].is.name] = row;
    trace_.describe(next_uuid_++, parent_uuid(row), rows_[row].is.label, row + 1);
  }
}

// Writes each launch and the time of its kernel, to which a flow leads; overlapping launches of a SIP have separate
// tracks.
void Trace::write_launches() {
  struct Span {
    std::int64_t submitted, completed, start;
    std::string name;
  };
  std::map<std::int64_t, std::vector<Span>> by_sip;
  for (const data::LaunchRow& launch : run_.launches()) {
    if (!launch.completed_fs || *launch.completed_fs < launch.submit_fs) continue;
    by_sip[launch.sip].push_back({launch.submit_fs, *launch.completed_fs, launch.start_fs.value_or(-1),
                                  fmt::format("#{} {}", launch.id, launch_name(launch.kernel, launch.label))});
  }
  std::uint64_t next_flow = kFirstLaunchFlow;
  for (auto& [sip, spans] : by_sip) {
    std::stable_sort(spans.begin(), spans.end(),
                     [](const Span& a, const Span& b) { return a.submitted < b.submitted; });
    const std::string name = "sip" + std::to_string(sip);
    Lanes lanes;
    std::vector<TraceStream::Track> tracks;
    for (const Span& span : spans) {
      const std::size_t lane = lanes.take(span.submitted, span.completed);
      if (lane == tracks.size()) {
        trace_.describe(next_uuid_, kLaunches, name, static_cast<std::uint64_t>(sip + 1));
        tracks.push_back(trace_.start(next_uuid_++));
      }
      TraceStream::Track& track = tracks[lane];
      const bool has_kernel = span.start >= span.submitted && span.start < span.completed;
      const std::uint64_t flow = has_kernel ? next_flow++ : 0;
      trace_.begin(track, span.submitted, span.name, flow);
      if (has_kernel) {
        trace_.begin(track, span.start, "since the start of the kernel", 0, flow);
        trace_.end(track, span.completed);
      }
      trace_.end(track, span.completed);
    }
  }
}

TraceStream::Track& Trace::lane_of(std::size_t row, const data::OpRow& op) {
  Row& place = rows_[row];
  const std::size_t lane = place.lanes.take(op.start_fs, op.end_fs);
  if (lane == place.tracks.size()) {
    std::uint64_t uuid = kFirstRow + row;
    if (lane > 0) trace_.describe(uuid = next_uuid_++, parent_uuid(row), place.is.label, row + 1);
    place.tracks.push_back(std::make_unique<TraceStream::Track>(trace_.start(uuid)));
  }
  return *place.tracks[lane];
}

void Trace::write_ends(std::priority_queue<OpenEnd>& open, std::int64_t until_fs, Flows& flows) {
  while (!open.empty() && open.top().end_fs <= until_fs) {
    const OpenEnd& first = open.top();
    trace_.end(*first.track, first.end_fs, first.awaits ? flows.end(*first.awaits) : 0);
    open.pop();
  }
}

// Writes operations in the order of time, as required for flows. A flow arrives at the end of a receive, because a
// receive may begin before the message was sent.
void Trace::write_operations() {
  Flows flows(run_.operations());
  std::map<std::int64_t, std::size_t> row_of_component, name_of_operation;
  std::map<std::int64_t, std::int64_t> sip_of_component;
  for (const auto& [id, node] : run_.operations().names().components) {
    row_of_component[id] = row_of_.at(node.id);
    sip_of_component[id] = node.coord.sip.valid() ? std::int64_t{node.coord.sip.value} : -1;
  }
  for (const auto& operation : run_.operations().names().operations) {
    name_of_operation.emplace(operation.id, name_of_operation.size());
  }
  std::priority_queue<OpenEnd> open;
  std::uint64_t number = 0;
  run_.operations().scan_in_time(flows.kinds(), [&](const data::OpRow& op, std::string_view params) {
    const auto row = row_of_component.find(op.component);
    const auto name = name_of_operation.find(op.operation);
    if (op.seq < 0 || op.start_fs < 0 || op.end_fs < op.start_fs || row == row_of_component.end() ||
        name == name_of_operation.end()) {
      throw Error::configuration("operation " + std::to_string(op.seq) +
                                 " of the run has impossible times or names; run it again");
    }
    write_ends(open, op.start_fs, flows);
    TraceStream::Track& track = lane_of(row->second, op);
    const Flows::Begin begin = flows.begin(op, params);
    const auto line = op.place == 0 ? line_of_place_.end() : line_of_place_.find(op.place);
    trace_.begin(track, op.start_fs,
                 {name->second, line == line_of_place_.end() ? 0 : line->second, static_cast<std::uint64_t>(op.seq),
                  begin.passes, begin.arrives});
    if (const int pe = rows_[row->second].is.parent; line != line_of_place_.end() && pe >= 0) {
      ranges_.add(static_cast<std::size_t>(pe), sip_of_component[op.component], op);
    }
    open.push({op.end_fs, number++, &track, begin.awaits});
    return true;
  });
  write_ends(open, std::numeric_limits<std::int64_t>::max(), flows);
}

// Ranges that overlap, because one has asynchronous calls in flight, have separate tracks.
void Trace::write_ranges() {
  const auto operations = static_cast<std::size_t>(run_.operations().end_seq());
  const std::vector<RangeSlices::Slice> slices = ranges_.take(std::max(kLeastRanges, operations / kOperationsPerRange));
  Lanes lanes;
  std::vector<TraceStream::Track> tracks;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const RangeSlices::Slice& slice = slices[i];
    if (i == 0 || slices[i - 1].row != slice.row) {
      lanes = Lanes();
      tracks.clear();
    }
    const std::size_t lane = lanes.take(slice.start_fs, slice.end_fs);
    if (lane == tracks.size()) {
      trace_.describe(next_uuid_, kFirstRow + slice.row, "ranges", 0);
      tracks.push_back(trace_.start(next_uuid_++));
    }
    trace_.begin(tracks[lane], slice.start_fs, *slice.name);
    trace_.end(tracks[lane], slice.end_fs);
  }
}

void Trace::write_counters(const PerfettoOptions& options) {
  const auto operations = static_cast<std::uint64_t>(run_.operations().end_seq());
  const PerfettoCounters counters(run_.activity(), options.wires,
                                  std::max(kLeastCounterBytes, kCounterBytes * operations));
  counters.write(trace_, [&](const data::ActivityTables::Series& series, std::size_t rank) {
    trace_.describe(next_uuid_, kFirstRow + row_of_.at(series.component), series.name, rank, "per mille");
    return next_uuid_++;
  });
}

}  // namespace

void write_perfetto(const analysis::RunFolder& run, const PerfettoOptions& options,
                    const std::function<void(std::string_view)>& write) {
  if (!run.has_operations()) {
    throw Error::configuration("the run '" + run.name() +
                               "' has no ops.sqlite; run it again with --record DIR in place of --out DIR");
  }
  Trace(run, write).write(options);
}

void write_perfetto_file(const analysis::RunFolder& run, const PerfettoOptions& options, observe::OutputFile& file) {
  observe::PackedOutput out(file);
  write_perfetto(run, options,
                 [&](std::string_view bytes) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
  out.finish();
  file.commit();
}

}  // namespace kb::convert
