// The operations of a run as rows over time: one row per component, and one per PE, cube and SIP above them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/data/op_log_database.h"
#include "sim/analysis/recorded/nodes.h"
#include "sim/analysis/recorded/track.h"

namespace kb::analysis {

struct TimelineRow {
  std::string name;   // "sip0.cube0.pe0"
  std::string label;  // "pe0"
  NodeCoord coord;    // coordinates of the part of the machine or of the component
  int parent = -1;    // parent row in the tree; -1 at the top
  int depth = 0;
  bool component = false;             // false: a group of components
  std::vector<std::uint32_t> tracks;  // a group excludes the schedulers, whose operations contain those of the engines

  Scope scope() const { return component ? Scope(name) : Scope(coord); }
};

struct TileRequest {
  std::vector<std::uint32_t> rows;
  std::int64_t begin_fs = 0;
  std::int64_t end_fs = 0;
  std::int64_t pixels = 0;
};

// The buckets of each row of a request, row by row.
struct Tile {
  int level = 0;
  std::int64_t first = 0;  // index of the first bucket
  std::size_t columns = 0;
  std::vector<Bucket> buckets;  // for a group: sums, and the dominant operation of its busiest component
  // The single operations of component rows, when there are few.
  struct Ops {
    std::vector<std::uint32_t> row;  // index in the request
    std::vector<TrackOp> ops;
  };
  std::optional<Ops> ops;
};

class Timeline {
 public:
  static constexpr std::size_t kMaxBuckets = std::size_t{1} << 21;  // per tile
  static constexpr std::size_t kMaxOps = 6000;

  explicit Timeline(const data::OpLogNames& names);

  // Reads all operations, once, with several threads that each open the file. Configuration Error when the file is
  // damaged. tile() may only be called after it has returned.
  void load(const std::string& file, std::int64_t end_seq, const std::atomic<bool>& stop);
  // A number from 0 to 1; may be called from any thread.
  double progress() const {
    const std::int64_t rows = rows_to_read_;
    return rows == 0 ? 0 : static_cast<double>(rows_read_) / static_cast<double>(rows);
  }

  const std::vector<TimelineRow>& rows() const { return rows_; }
  std::uint64_t operations() const { return operations_; }
  std::int64_t begin_fs() const { return begin_fs_; }
  std::int64_t end_fs() const { return end_fs_; }
  std::size_t bytes() const;

  // Index of a component or kind of operation among the names; no value for an unknown id.
  std::optional<std::uint32_t> track_of(std::int64_t component) const { return find(track_of_, component); }
  std::optional<std::uint32_t> kind_of(std::int64_t operation) const { return find(kind_of_, operation); }

  // Operations of a row's components that begin in [begin, end), with their tracks; at most `limit`.
  struct PlacedOp {
    std::uint32_t track = 0;
    TrackOp op;
  };
  std::vector<PlacedOp> ops_of(std::uint32_t row, std::int64_t begin_fs, std::int64_t end_fs, std::size_t limit) const;

  // Configuration Error (for the request) for unknown rows, an invalid window or too many buckets.
  Tile tile(const TileRequest& request) const;

 private:
  using Positions = std::map<std::int64_t, std::uint32_t>;
  struct Part;

  static std::optional<std::uint32_t> find(const Positions& positions, std::int64_t id);
  void add_rows(const data::OpLogNames& names);
  void read_part(const std::string& file, Part& part, const std::atomic<bool>& stop);
  void check(const TileRequest& request) const;
  void add_up(const TimelineRow& row, int level, std::int64_t first, Bucket* sums, std::size_t columns) const;
  void add_ops(const TileRequest& request, Tile& tile) const;

  Positions track_of_, kind_of_;
  std::vector<Track> tracks_;
  std::vector<TimelineRow> rows_;  // a row follows its parent; siblings are in numeric order
  std::atomic<std::int64_t> rows_to_read_{0}, rows_read_{0};
  std::uint64_t operations_ = 0;
  std::int64_t begin_fs_ = 0, end_fs_ = 0;
};

}  // namespace kb::analysis
