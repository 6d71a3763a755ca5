#include "sim/analysis/recorded/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <exception>
#include <limits>
#include <system_error>
#include <thread>
#include <tuple>

#include "platform/base/error.h"

namespace kb::analysis {
namespace {

constexpr std::size_t kThreads = 2;  // more threads do not read faster
constexpr std::size_t kPieces = 4;   // per row in a tile
constexpr std::int64_t kReportEvery = 4096;
constexpr std::size_t kMaxRows = 4096;
constexpr std::int64_t kMaxPixels = 16'384;

Error request_error(const std::string& message) {
  return Error::configuration(message);
}

// Blocks of a PE in the order in which a command passes them; engines come before its queues, other blocks last.
int block_order(const std::string& kind) {
  static const std::vector<std::string> order = {"host",   "pe_cpu",         "pe_scheduler", "pe_tlb", "pe_mmu",
                                                 "pe_dma", "pe_fetch_store", "an engine",    "pe_ipcq"};
  const bool engine =
      kind.rfind("pe_", 0) == 0 && kind != "pe_tcm" && std::find(order.begin(), order.end(), kind) == order.end();
  const auto at = std::find(order.begin(), order.end(), engine ? "an engine" : kind);
  return static_cast<int>(at - order.begin());
}

// Sorts "cube10" after "cube9".
using LabelKey = std::tuple<int, std::string, std::uint64_t, std::string>;
LabelKey key_of(const std::string& label, const std::string& kind) {
  std::size_t digits = label.size();
  constexpr std::size_t kMaxDigits = 9;
  while (digits > 0 && label.size() - digits < kMaxDigits &&
         std::isdigit(static_cast<unsigned char>(label[digits - 1])) != 0)
    --digits;
  const std::string number = label.substr(digits);
  return {block_order(kind), label.substr(0, digits), number.empty() ? 0 : std::stoull(number), label};
}

struct RowNode {
  std::map<LabelKey, RowNode> children;
  NodeEntry is;  // without a kind for a part of the machine
  std::optional<std::uint32_t> track;
};

bool spans_others(const std::string& kind) {
  return kind == "pe_scheduler";
}

// Creates the row and its ancestors if they do not exist.
RowNode& row_of(RowNode& root, const NodeCoord& part) {
  if (!part.sip.valid()) return root;
  const std::string label = part_label(part);
  RowNode& row = row_of(root, parent_part(part)).children[key_of(label, "")];
  row.is = {part_name(part), "", label, part};
  return row;
}

// Calls work(0) and work(1) at the same time, or in turn where the system has no room for a thread; throws what one of
// them has thrown.
template <typename Work>
void on_all_threads(const Work& work) {
  std::array<std::exception_ptr, kThreads> failures;
  const auto guarded = [&](std::size_t i) {
    try {
      work(i);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < kThreads; ++i) {
    try {
      threads.emplace_back(guarded, i);
    } catch (const std::system_error&) {
      guarded(i);
    }
  }
  guarded(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace

// The part of the op log that one thread reads.
struct Timeline::Part {
  std::int64_t from = 0, to = 0;
  std::vector<std::vector<TrackOp>> ops;  // by track
};

std::optional<std::uint32_t> Timeline::find(const Positions& positions, std::int64_t id) {
  const auto found = positions.find(id);
  return found == positions.end() ? std::nullopt : std::optional(found->second);
}

Timeline::Timeline(const data::OpLogNames& names) {
  for (const auto& component : names.components) {
    track_of_.emplace(component.id, static_cast<std::uint32_t>(track_of_.size()));
  }
  for (const auto& operation : names.operations) {
    kind_of_.emplace(operation.id, static_cast<std::uint32_t>(kind_of_.size()));
  }
  if (kind_of_.size() >= Bucket::kNobody)
    throw Error::configuration("the operation log has too many kinds of operation");
  tracks_.resize(track_of_.size());
  add_rows(names);
}

void Timeline::add_rows(const data::OpLogNames& names) {
  RowNode root;
  for (const auto& [id, node] : names.components) {
    RowNode& row = row_of(root, node.coord).children[key_of(node.label, node.kind)];
    row.is = node;
    row.track = track_of_.at(id);
  }
  const auto add = [&](const auto& self, const RowNode& node, int parent, int depth) -> std::vector<std::uint32_t> {
    const auto row = rows_.size();
    rows_.push_back({node.is.id, node.is.label, node.is.coord, parent, depth, node.children.empty(), {}});
    std::vector<std::uint32_t> tracks;
    if (node.track) tracks.push_back(*node.track);
    for (const auto& [key, child] : node.children) {
      const std::vector<std::uint32_t> below = self(self, child, static_cast<int>(row), depth + 1);
      if (!spans_others(child.is.kind)) tracks.insert(tracks.end(), below.begin(), below.end());
    }
    rows_[row].tracks = tracks;
    return tracks;
  };
  for (const auto& [key, node] : root.children) add(add, node, -1, 0);
}

void Timeline::read_part(const std::string& file, Part& part, const std::atomic<bool>& stop) {
  data::OpLogDatabase database(file);
  part.ops.resize(tracks_.size());
  std::int64_t unreported = 0;
  const auto damaged = [&](const data::OpRow& row, const char* what) {
    return Error::configuration(
        fmt::format("cannot read the operation log '{}': operation {} {}; write it again", file, row.seq, what));
  };
  database.scan(part.from, part.to, [&](const data::OpRow& row) {
    const auto track = track_of(row.component), kind = kind_of(row.operation);
    if (!track || !kind) throw damaged(row, "has a component or a name that there is not");
    const bool times = row.start_fs >= 0 && row.end_fs >= row.start_fs && row.end_fs < Track::kTimeLimit;
    if (!times) throw damaged(row, "has impossible times");
    part.ops[*track].push_back(
        {row.start_fs, row.end_fs, static_cast<std::uint32_t>(row.seq), static_cast<std::uint16_t>(*kind)});
    if (++unreported == kReportEvery) rows_read_ += std::exchange(unreported, 0);
    return !stop;
  });
  rows_read_ += unreported;
}

void Timeline::load(const std::string& file, std::int64_t end_seq, const std::atomic<bool>& stop) {
  if (end_seq < 0 || end_seq > std::numeric_limits<std::uint32_t>::max()) {
    throw Error::configuration("cannot read the operation log '" + file + "': it has more than 4 billion operations");
  }
  rows_to_read_ = end_seq;
  std::vector<Part> parts(kThreads);
  for (std::size_t i = 0; i < kThreads; ++i) {
    parts[i].from = end_seq * static_cast<std::int64_t>(i) / static_cast<std::int64_t>(kThreads);
    parts[i].to = end_seq * static_cast<std::int64_t>(i + 1) / static_cast<std::int64_t>(kThreads);
  }
  on_all_threads([&](std::size_t i) { read_part(file, parts[i], stop); });
  if (stop) return;

  std::atomic<std::size_t> next{0};
  on_all_threads([&](std::size_t) {
    for (std::size_t track = next++; track < tracks_.size(); track = next++) {
      for (Part& part : parts) {
        for (const TrackOp& op : part.ops[track]) tracks_[track].add(op);
        std::vector<TrackOp>().swap(part.ops[track]);
      }
      tracks_[track].finish();
    }
  });
  begin_fs_ = std::numeric_limits<std::int64_t>::max();
  for (const Track& track : tracks_) {
    operations_ += track.size();
    if (track.size() == 0) continue;
    begin_fs_ = std::min(begin_fs_, track.begin_fs());
    end_fs_ = std::max(end_fs_, track.end_fs());
  }
  if (operations_ == 0) begin_fs_ = 0;
}

std::size_t Timeline::bytes() const {
  std::size_t sum = 0;
  for (const Track& track : tracks_) sum += track.bytes();
  return sum;
}

std::vector<Timeline::PlacedOp> Timeline::ops_of(std::uint32_t row, std::int64_t begin_fs, std::int64_t end_fs,
                                                 std::size_t limit) const {
  std::vector<PlacedOp> found;
  for (const std::uint32_t track : rows_[row].tracks) {
    for (const TrackOp& op : tracks_[track].ops_in(begin_fs, end_fs, limit - found.size())) {
      if (op.start_fs >= begin_fs) found.push_back({track, op});
    }
  }
  return found;
}

void Timeline::check(const TileRequest& request) const {
  if (request.begin_fs < 0 || request.end_fs <= request.begin_fs || request.end_fs > Track::kTimeLimit) {
    throw request_error("the window has to begin at 0 or later and to end after its begin");
  }
  if (request.pixels < 1 || request.pixels > kMaxPixels) {
    throw request_error(fmt::format("there may be 1 to {} pixels", kMaxPixels));
  }
  if (request.rows.size() > kMaxRows) throw request_error(fmt::format("there may be at most {} rows", kMaxRows));
  for (const std::uint32_t row : request.rows) {
    if (row >= rows_.size()) throw request_error(fmt::format("there is no row {}", row));
  }
}

void Timeline::add_up(const TimelineRow& row, int level, std::int64_t first, Bucket* sums, std::size_t columns) const {
  std::vector<std::int64_t> busiest(columns, -1);
  for (const std::uint32_t track : row.tracks) {
    tracks_[track].for_each(level, first, columns, [&](std::size_t column, const Bucket& bucket) {
      sums[column].busy_fs += bucket.busy_fs;
      sums[column].count += bucket.count;
      if (bucket.busy_fs <= busiest[column]) return;
      busiest[column] = bucket.busy_fs;
      sums[column].dominant = bucket.dominant;
    });
  }
}

Tile Timeline::tile(const TileRequest& request) const {
  check(request);
  Tile tile;
  tile.level = Track::level_for(request.end_fs - request.begin_fs, request.pixels);
  tile.first = request.begin_fs >> (2 * tile.level);
  tile.columns = static_cast<std::size_t>(((request.end_fs - 1) >> (2 * tile.level)) - tile.first) + 1;
  if (tile.columns * request.rows.size() > kMaxBuckets) throw request_error("too many rows at once for so many pixels");
  tile.buckets.resize(tile.columns * request.rows.size());
  // Works in pieces, because the row of a SIP takes as long as the rows of all its PEs together.
  const std::size_t piece = (tile.columns + kPieces - 1) / kPieces;
  std::atomic<std::size_t> next{0};
  on_all_threads([&](std::size_t) {
    for (std::size_t i = next++; i < request.rows.size() * kPieces; i = next++) {
      const std::size_t row = i / kPieces, begin = std::min(tile.columns, i % kPieces * piece);
      add_up(rows_[request.rows[row]], tile.level, tile.first + static_cast<std::int64_t>(begin),
             tile.buckets.data() + row * tile.columns + begin, std::min(piece, tile.columns - begin));
    }
  });
  add_ops(request, tile);
  return tile;
}

void Timeline::add_ops(const TileRequest& request, Tile& tile) const {
  Tile::Ops found;
  for (std::size_t i = 0; i < request.rows.size(); ++i) {
    const TimelineRow& row = rows_[request.rows[i]];
    if (!row.component) continue;
    const std::size_t room = kMaxOps + 1 - found.ops.size();
    const std::vector<TrackOp> ops = tracks_[row.tracks[0]].ops_in(request.begin_fs, request.end_fs, room);
    found.ops.insert(found.ops.end(), ops.begin(), ops.end());
    found.row.resize(found.ops.size(), static_cast<std::uint32_t>(i));
    if (found.ops.size() > kMaxOps) return;
  }
  tile.ops = std::move(found);
}

}  // namespace kb::analysis
