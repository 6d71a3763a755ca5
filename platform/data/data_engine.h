// The second engine of a simulation: what the operations compute, next to when they happen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/contract/data_mode.h"
#include "platform/data/i_op_sink.h"
#include "platform/data/known_contents.h"
#include "platform/data/memory_store.h"
#include "platform/data/op_record.h"
#include "platform/data/taint_map.h"

namespace kb::data {

using contract::DataMode;

// Takes finished operations in completion order and computes them in that order: at once (eager), later (replay) or not
// at all (off), but for integers that are known in every mode. Because the order is the same, the modes agree bit for
// bit.
class DataEngine {
 public:
  struct Options {
    std::function<std::string(NodeId)> component_name;  // for messages; absent: "node 7"
    std::size_t max_pending = 128;                      // replay computes by itself when more operations are queued
    IOpSink* sink = nullptr;                            // op log; may be null; outlives the engine
  };

  DataEngine(DataMode mode, MemoryStore& memory);
  DataEngine(DataMode mode, MemoryStore& memory, Options options);
  ~DataEngine();
  DataEngine(const DataEngine&) = delete;
  DataEngine& operator=(const DataEngine&) = delete;

  // False when complete() would only count; the caller may then skip building records, of writes those that are not
  // `known`.
  bool wants_records() const { return mode_ != DataMode::off || options_.sink != nullptr || !known_.empty(); }
  bool wants_write(bool known) const { return known || wants_records(); }

  // Whether stages of tiles are wanted: they stand in the log and compute nothing.
  bool wants_stages() const { return options_.sink != nullptr; }

  // Whether the operation log gets a row. One without has the number of the operation that follows.
  enum class Logged : std::uint8_t { no, yes };

  // One finished operation. Calls come in completion order. Program Errors of the computation (DIVISION_BY_ZERO,
  // UNWRITTEN_READ, ...) name the operation; in replay they surface when the operation is computed. `record` may be
  // left with the contents of an earlier one, whose memory its next use can take.
  void complete(OpRecord&& record, Logged logged = Logged::yes);

  // Computes everything queued (replay). Which bytes count as computed does not change.
  void sync();

  // Contents as of all operations completed so far (K-40); in mode off nothing when one of the bytes is not known.
  std::optional<std::vector<std::byte>> contents(const std::vector<Extent>& extents);
  // The same, but zeros instead of nothing.
  std::vector<std::byte> read(const std::vector<Extent>& extents);

  // Contents for a kernel. Program Error DATA_ACCESS in mode off when a byte is not known, and in replay when one was
  // computed by gemm or math (P-62); the message names that operation.
  std::vector<std::byte> kernel_read(const std::vector<Extent>& extents);
  // The same, but nothing in mode off when a byte is not known.
  std::optional<std::vector<std::byte>> read_if_known(const std::vector<Extent>& extents);

  // Bytes whose contents changed without an operation.
  void forget(std::uint64_t pa, std::uint64_t nbytes) { known_.forget(pa, nbytes); }

  // Accesses whose indices or masks were assumed (mode off).
  struct Unknown {
    std::uint64_t count = 0;
    NodeId component;  // of the first one, and its call in the kernel
    std::string call;
    std::uint64_t call_index = 0;
  };
  const Unknown& unknown() const { return unknown_; }
  void count_unknown(NodeId component, const char* call, std::uint64_t call_index);

  DataMode mode() const { return mode_; }
  MemoryStore& memory() { return memory_; }
  std::uint64_t completed() const { return sequence_; }
  std::size_t pending() const { return pending_; }

 private:
  void execute(std::uint64_t sequence, const OpRecord& record);
  std::string component_name(NodeId component) const;

  DataMode mode_;
  MemoryStore& memory_;
  Options options_;
  std::uint64_t sequence_ = 0;
  struct Queued {
    std::uint64_t sequence = 0;
    OpRecord record;
  };
  std::vector<Queued> queue_;  // the first `pending_` wait to be computed, the others to be used again
  std::size_t pending_ = 0;
  TaintMap taint_;
  KnownContents known_;  // in mode off
  Unknown unknown_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace kb::data
