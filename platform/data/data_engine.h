// The data engine: computes the results of operations, separately from their timing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "platform/contract/data_mode.h"
#include "platform/data/i_op_sink.h"
#include "platform/data/known_contents.h"
#include "platform/data/memory_store.h"
#include "platform/data/op_record.h"
#include "platform/data/taint_map.h"

namespace kb::data {

using contract::DataMode;

// Takes finished operations in completion order and computes them in that order: immediately (eager), later (replay) or
// not (off, except for integers that every mode knows). The equal order makes the modes agree bit for bit.
class DataEngine {
 public:
  struct Options {
    std::function<std::string(NodeId)> component_name;  // for messages; default: "node 7"
    std::function<std::string(NodeId)> pe_name;         // the PE of a component, for messages; default: component_name
    std::size_t max_pending = 128;                      // replay computes once more operations than this are queued
    IOpSink* sink = nullptr;                            // operation log; may be null; outlives the engine
  };

  DataEngine(DataMode mode, MemoryStore& memory);
  DataEngine(DataMode mode, MemoryStore& memory, Options options);
  ~DataEngine();
  DataEngine(const DataEngine&) = delete;
  DataEngine& operator=(const DataEngine&) = delete;

  // False when complete() would only count operations, so that the caller need not build records. wants_write() is the
  // same for a write whose contents are `known` or not.
  bool needs_records() const { return mode_ != DataMode::off || options_.sink != nullptr || !known_.empty(); }
  bool wants_write(bool known) const { return known || needs_records(); }

  // Tile stages are only logged; they compute no data.
  bool wants_stages() const { return options_.sink != nullptr; }

  // Whether the operation gets a row in the log. An operation without one shares the number of the next operation.
  enum class Logged : std::uint8_t { no, yes };

  // Takes one finished operation; calls come in completion order. Program Errors of the computation (DIVISION_BY_ZERO,
  // UNWRITTEN_READ, ...) name the operation; in replay they are thrown when it is computed. `record` may be left with
  // the contents of an earlier record, so that its memory can be reused.
  void complete(OpRecord&& record, Logged logged = Logged::yes);

  // Computes all queued operations (replay). It does not change which bytes kernel_read() refuses.
  void sync();

  // Contents after all operations completed so far (K-40); no value when mode off does not know one of the bytes.
  std::optional<std::vector<std::byte>> contents(const std::vector<Extent>& extents);
  // Like contents(), but returns zeros when a byte is not known.
  std::vector<std::byte> read(const std::vector<Extent>& extents);

  // Contents for a kernel. Program Error DATA_ACCESS in mode off when a byte is not known, and in replay when a byte
  // was computed by gemm or math (P-62); the message names that operation.
  std::vector<std::byte> kernel_read(const std::vector<Extent>& extents);
  // Like kernel_read(), but returns no value when mode off does not know one of the bytes.
  std::optional<std::vector<std::byte>> read_if_known(const std::vector<Extent>& extents);

  // Marks bytes that changed without an operation as not known.
  void forget(std::uint64_t pa, std::uint64_t nbytes) { known_.forget(pa, nbytes); }

  // Counts accesses with assumed indices or masks (mode off).
  struct Unknown {
    std::uint64_t count = 0;
    NodeId component;  // of the first such access, with its call in the kernel
    std::string call;
    std::uint64_t call_index = 0;
  };
  const Unknown& unknown() const { return unknown_; }
  void count_unknown(NodeId component, const char* call, std::uint64_t call_index);

  // The first read of unwritten bytes by each place of a kernel's launches, in the order of the operations (not in mode
  // off; in strict mode it is an Error).
  struct Unwritten {
    std::uint64_t pa = 0;
    std::string kernel;
    std::string call;  // "tl.load #3 at gemm.cpp:72"
    contract::SourceLine at;
    std::string pe;
    account::PlaceId place{};
  };
  const std::vector<Unwritten>& unwritten() const { return unwritten_; }

  DataMode mode() const { return mode_; }
  MemoryStore& memory() { return memory_; }
  std::uint64_t completed() const { return sequence_; }
  std::size_t pending() const { return pending_; }

 private:
  void execute(std::uint64_t sequence, const OpRecord& record);
  void note_unwritten(std::uint64_t pa, const OpRecord& record);
  std::string component_name(NodeId component) const;
  std::string pe_name(NodeId component) const;

  DataMode mode_;
  MemoryStore& memory_;
  Options options_;
  std::uint64_t sequence_ = 0;
  struct Queued {
    std::uint64_t sequence = 0;
    OpRecord record;
  };
  std::vector<Queued> queue_;  // the first `pending_` entries are queued, the rest is kept for reuse
  std::size_t pending_ = 0;
  TaintMap taint_;
  KnownContents known_;  // used in mode off
  Unknown unknown_;
  std::vector<Unwritten> unwritten_;
  std::set<std::tuple<std::uint32_t, std::string_view, int>> unwritten_at_;  // place, file and line of those
  std::unique_ptr<Executor> executor_;
};

}  // namespace kb::data
