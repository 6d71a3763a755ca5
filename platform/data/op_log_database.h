// Reads the operation log that OpLogSqlite writes; docs/guides/oplog.md documents the tables.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/base/node_coord.h"
#include "platform/data/activity_tables.h"
#include "platform/data/sqlite_handle.h"

namespace kb::data {

struct OpRow {
  std::int64_t seq = 0;
  std::int64_t start_fs = 0;
  std::int64_t end_fs = 0;
  std::int64_t component = 0;  // id in table `component`
  std::int64_t operation = 0;  // id in table `operation`
  std::int64_t place = 0;      // id in table `place`; 0: no line
};

struct OpLogNames {
  struct Operation {
    std::int64_t id = 0;
    std::string kind;
    std::string name;
  };
  struct Component {
    std::int64_t id = 0;
    NodeEntry node;
  };
  // A call in a line of a kernel.
  struct Place {
    std::int64_t id = 0;
    std::string file;
    std::int64_t line = 0;
    std::string call, range, tensor;
  };
  std::vector<Component> components;  // only components that have operations
  std::vector<Operation> operations;
  std::vector<Place> places{};  // by id; empty when the database has no such table
};

// Chooses a launch, or all launches of a kernel.
struct LineQuery {
  std::optional<std::int64_t> launch;
  std::string kernel;
};

// Accounts of a kernel by line, summed over the chosen launches. Places are ids in table `place`.
struct LineTables {
  struct Time {
    std::int64_t place = 0, held_by = 0;
    std::string share;
    double last_fs = 0;  // on the PE that ended last
    double all_fs = 0;   // over all PEs
  };
  struct Use {
    std::int64_t place = 0;
    std::string role;
    double busy_fs = 0, wait_fs = 0, bytes = 0;
    std::string most_at;  // resource with the longest wait of a launch; empty: there was no wait
    double most_wait_fs = 0;
  };
  std::vector<Time> times;
  std::vector<Use> uses;
};

// Sums over the operations of one kind.
struct OpWork {
  std::int64_t operation = 0;  // id in table `operation`
  std::int64_t count = 0;
  double busy_fs = 0;
  double macs = 0, useful_macs = 0;  // for products; all MACs of simple commands count as useful
  double elements = 0;               // for MATH: elements times passes
};

// A launch on one SIP. Times in fs.
struct LaunchRow {
  std::int64_t id = 0, sip = 0;
  std::string kernel, label;
  bool ok = true;
  std::int64_t submit_fs = 0;
  std::optional<std::int64_t> start_fs, completed_fs;
  std::int64_t dma_fs = 0, compute_fs = 0, macs = 0, useful_macs = 0, late_pes = 0, max_late_fs = 0;
  std::vector<std::pair<std::string, std::int64_t>> parts;  // of submission to completion; empty when no PE ran
};

// A message is sent from an operand, copied into a slot of the receiver, and received from the slot.
struct MessageStep {
  enum class Kind { send, copy, receive };
  Kind kind = Kind::send;
  std::int64_t component = 0;
  std::int64_t start_fs = 0, end_fs = 0;
  std::string source, destination;  // addresses
  std::int64_t sequence = 0;        // number of the message in its queue
  std::int64_t bytes = 0;
  std::string direction;  // queue of the PE that executes the step
};

// Selection and order of operations.
struct OpQuery {
  enum class Order { sequence, start, end, duration };
  std::optional<std::vector<std::int64_t>> components;  // no value: all
  std::optional<std::vector<std::int64_t>> operations, places;
  std::optional<std::int64_t> from_fs, to_fs;  // operations in flight at some time in [from, to)
  std::int64_t after_seq = -1;                 // only rows after this one
  Order order = Order::sequence;
  bool descending = false;
  std::int64_t offset = 0;
  std::int64_t limit = 100;
};

// Read-only access to a log. No file other than the log is read, created or locked. The functions may be called from
// several threads; calls are serialised.
class OpLogDatabase {
 public:
  // Configuration Error when the file cannot be read, is not such a database, or was written by a newer program.
  explicit OpLogDatabase(std::string file);
  ~OpLogDatabase();
  OpLogDatabase(const OpLogDatabase&) = delete;
  OpLogDatabase& operator=(const OpLogDatabase&) = delete;

  const OpLogNames& names() const { return names_; }
  // Largest `seq` plus one.
  std::int64_t end_seq() const { return end_seq_; }

  // Visits every operation with seq in [from, to), in that order, until `take` returns false. Errors are those of the
  // constructor.
  void scan(std::int64_t from, std::int64_t to, const std::function<bool(const OpRow&)>& take);
  // Visits all operations in the order of (start, seq), until `take` returns false. The second argument of `take` holds
  // the parameters of operations of one of `kinds`, otherwise it is empty.
  void scan_in_time(const std::vector<std::int64_t>& kinds,
                    const std::function<bool(const OpRow&, std::string_view)>& take);
  // Returns no value when the query takes longer than `seconds` of wall-clock time or stop() was called.
  std::optional<std::vector<OpRow>> select(const OpQuery& query, double seconds);
  std::optional<std::int64_t> count(const OpQuery& query, double seconds);
  // Parameters of an operation as JSON text; no value when there is no such operation.
  std::optional<std::pair<OpRow, std::string>> find(std::int64_t seq);

  // Work of the operations that begin in [from, to), by kind; a composite counts by its tiles. Only components of a
  // part of the machine count. No value as for select().
  std::optional<std::vector<OpWork>> work(std::int64_t from_fs, std::int64_t to_fs, const NodeCoord& part,
                                          double seconds);
  // Message steps that begin in [from, to), at most `limit`, in order of their start. No value as for select().
  std::optional<std::vector<MessageStep>> message_steps(std::int64_t from_fs, std::int64_t to_fs, std::int64_t limit,
                                                        double seconds);
  // Empty when the database has no such tables. No value as for select().
  std::optional<LineTables> lines(const LineQuery& query, double seconds);
  // Text of a source file as it was at the time of the run; no value when it was not recorded.
  std::optional<std::string> source(const std::string& file);
  // All nodes of the log: those with operations or activity, and those at the other ends of their wires.
  std::vector<NodeEntry> nodes();
  // All launches in the order of their ids. Empty when the database has no such table.
  std::vector<LaunchRow> launches();
  // Empty when the run recorded no activity. Errors are those of the constructor.
  ActivityTables activity();

  // Ends running and later queries immediately.
  void stop() { stopped_ = true; }

 private:
  using Statement = SqliteStatement;
  // While it exists, SQLite interrupts a statement (SQLITE_INTERRUPT) when the time is over or the database is stopped.
  class Deadline {
   public:
    Deadline(OpLogDatabase& owner, double seconds);
    ~Deadline();
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;

   private:
    using Clock = std::chrono::steady_clock::duration;
    using Seconds = std::chrono::duration<double>;
    static int passed(void* self);

    OpLogDatabase& owner_;
    std::chrono::steady_clock::time_point end_;
  };

  void open();
  void check_schema();
  void read_names();
  void read_places();
  Statement prepare(const std::string& sql);
  Statement prepare(const std::string& head, const OpQuery& query, const std::string& tail);
  bool step(Statement& statement);
  static std::string text_of(sqlite3_stmt* statement, int column);
  static std::optional<std::int64_t> number_of(sqlite3_stmt* statement, int column);  // none: NULL
  static MessageStep step_of(sqlite3_stmt* row);
  // The node whose columns name, node_kind, label, sip, io, cube and pe begin at `column`.
  static NodeEntry node_of(sqlite3_stmt* row, int column);
  [[noreturn]] void refuse(int code, const std::string& reason) const;

  std::string file_;
  std::mutex mutex_;
  SqliteHandle database_;
  OpLogNames names_;
  std::int64_t end_seq_ = 0;
  bool has_lines_ = false;
  std::atomic<bool> stopped_{false};
};

}  // namespace kb::data
