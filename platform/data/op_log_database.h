// Reads the operation log that OpLogSqlite writes; docs/guides/oplog.md documents the tables.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/data/activity_tables.h"

struct sqlite3;
struct sqlite3_stmt;

namespace kb::data {

struct OpRow {
  std::int64_t seq = 0;
  std::int64_t start_fs = 0;
  std::int64_t end_fs = 0;
  std::int64_t component = 0;  // as in `component`
  std::int64_t operation = 0;  // as in `operation`
};

struct OpLogNames {
  struct Operation {
    std::int64_t id = 0;
    std::string kind;
    std::string name;
  };
  std::vector<std::pair<std::int64_t, std::string>> components;  // that have operations
  std::vector<Operation> operations;
};

// What operations of one kind computed together.
struct OpWork {
  std::int64_t operation = 0;  // as in `operation`
  std::int64_t count = 0;
  double busy_fs = 0;
  double macs = 0, useful_macs = 0;  // of products; commands have all of theirs counted as useful
  double elements = 0;               // of MATH, times passes
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

// A message is sent out of an operand, copied into the receiver's slot and received out of it.
struct MessageStep {
  enum class Kind { send, copy, receive };
  Kind kind = Kind::send;
  std::int64_t component = 0;
  std::int64_t start_fs = 0, end_fs = 0;
  std::string source, destination;  // addresses
  std::int64_t sequence = 0;        // of the message in its queue
  std::int64_t bytes = 0;
  std::string direction;  // at the PE of the step
};

// Which operations, in which order.
struct OpQuery {
  enum class Order { sequence, start, end, duration };
  std::optional<std::vector<std::int64_t>> components;  // none: all
  std::optional<std::vector<std::int64_t>> operations;
  std::optional<std::int64_t> from_fs, to_fs;  // under way in [from, to)
  std::int64_t after_seq = -1;                 // beyond this one
  Order order = Order::sequence;
  bool descending = false;
  std::int64_t offset = 0;
  std::int64_t limit = 100;
};

// Opened for reading alone: nothing beside the file is looked at, created or locked. The functions may be called from
// several threads, which take turns.
class OpLogDatabase {
 public:
  // Configuration Error when it cannot be read, is no such database, or was written by a newer program.
  explicit OpLogDatabase(std::string file);
  ~OpLogDatabase();
  OpLogDatabase(const OpLogDatabase&) = delete;
  OpLogDatabase& operator=(const OpLogDatabase&) = delete;

  const OpLogNames& names() const { return names_; }
  // One more than the largest `seq`.
  std::int64_t end_seq() const { return end_seq_; }

  // Every operation with seq in [from, to), in that order, until `take` returns false. Errors as the constructor's.
  void scan(std::int64_t from, std::int64_t to, const std::function<bool(const OpRow&)>& take);
  // All of them in the order of their start, then of seq, until `take` returns false; the second argument are the
  // parameters of an operation of one of `kinds`, else empty.
  void scan_in_time(const std::vector<std::int64_t>& kinds,
                    const std::function<bool(const OpRow&, std::string_view)>& take);
  // Empty when it takes longer than `seconds` of the computer's time, or stop() was called.
  std::optional<std::vector<OpRow>> select(const OpQuery& query, double seconds);
  std::optional<std::int64_t> count(const OpQuery& query, double seconds);
  // The parameters of an operation, JSON text; empty when there is no such operation.
  std::optional<std::pair<OpRow, std::string>> find(std::int64_t seq);

  // What operations that begin in [from, to) computed, by kind of operation; a composite by its tiles. Only components
  // whose name begins with `under`. Empty as select().
  std::optional<std::vector<OpWork>> work(std::int64_t from_fs, std::int64_t to_fs, const std::string& under,
                                          double seconds);
  // Those that begin in [from, to), at most `limit`, in order of their start. Empty as select().
  std::optional<std::vector<MessageStep>> message_steps(std::int64_t from_fs, std::int64_t to_fs, std::int64_t limit,
                                                        double seconds);
  // All launches in the order of their ids. Empty when the database has no table of them. Errors as the constructor's.
  std::vector<LaunchRow> launches();
  // Empty when the run recorded no activity. Errors as the constructor's.
  ActivityTables activity();

  // What runs and what comes ends at once.
  void stop() { stopped_ = true; }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Close>;
  // While it exists, a statement ends with SQLITE_INTERRUPT when the time has passed or the database is stopped.
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
  Statement prepare(const std::string& sql);
  Statement prepare(const std::string& head, const OpQuery& query, const std::string& tail);
  bool step(Statement& statement);
  static std::string text_of(sqlite3_stmt* statement, int column);
  static std::optional<std::int64_t> number_of(sqlite3_stmt* statement, int column);  // none: NULL
  static MessageStep step_of(sqlite3_stmt* row);
  [[noreturn]] void refuse(int code, const std::string& reason) const;

  std::string file_;
  std::mutex mutex_;
  std::unique_ptr<sqlite3, Close> database_;
  OpLogNames names_;
  std::int64_t end_seq_ = 0;
  std::atomic<bool> stopped_{false};
};

}  // namespace kb::data
