// What a run that computes nothing (data mode off) knows of memory (decision 0047).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "platform/data/executor.h"
#include "platform/data/interval_map.h"
#include "platform/data/memory_store.h"
#include "platform/data/op_record.h"

namespace kb::data {

// Integers that the host or a kernel wrote, wherever they were copied to since, and what MATH and atomic additions make
// of at most kMostElements of them. All other bytes are unknown, also those that nobody wrote. No bytes are copied: a
// range refers to the buffer that it came with.
class KnownContents {
 public:
  static constexpr std::int64_t kMostElements = 4096;

  // What `memory` keeps outside is never known, because a model outside may change it.
  explicit KnownContents(const MemoryStore& memory);

  bool empty() const { return map_.empty(); }
  std::size_t ranges() const { return map_.size(); }
  void apply(const OpRecord& record);
  void forget(std::uint64_t pa, std::uint64_t nbytes) { map_.erase(pa, pa + nbytes); }
  // The bytes of the extents, one after the other; nothing when one of them is unknown.
  std::optional<std::vector<std::byte>> read(const std::vector<Extent>& extents) const;

 private:
  // Bytes of a buffer, or a pattern that repeats; `origin` is the address of its first byte, modulo 2^64. With a row
  // that of byte `first` of the buffer, in which rows of so many bytes are `pitch` apart: a tile of a larger tensor.
  struct Source {
    std::shared_ptr<const std::vector<std::byte>> buffer;  // null: pattern
    contract::Pattern pattern;
    std::uint64_t origin = 0;
    std::uint64_t first = 0, row = 0, pitch = 0;
    friend bool operator==(const Source& a, const Source& b) {
      if (a.buffer != b.buffer || a.pattern.value != b.pattern.value || a.pattern.width != b.pattern.width)
        return false;
      if (!a.buffer) return (a.origin - b.origin) % a.pattern.width == 0;
      return a.origin == b.origin && a.first == b.first && a.row == b.row && a.pitch == b.pitch;
    }
    void read(std::uint64_t pa, std::byte* bytes, std::uint64_t nbytes) const;
  };

  void apply(const CopyOp& op);
  void apply(const WriteOp& op);
  void apply(const MathOpRecord& op);
  void add(const CopyOp& op);
  // What a copy of rows of one buffer to one place makes of it; nothing for other copies.
  std::optional<Source> tile(const CopyOp& op) const;
  bool knows_some(const std::vector<Extent>& extents) const;  // or something between them
  void forget(const std::vector<Extent>& extents);
  void assign(const Extent& extent, const Source& source);
  // Computes the operation with its operands in work_. Returns no value when one is unknown, too large or not of
  // integers, or when it fails, e.g. divides by zero, which runs that compute report.
  std::optional<MathOpRecord> computed(const MathOpRecord& op);
  // Takes an operand to a place of its own in work_; false when it is unknown.
  bool take(OperandRef& operand);
  void give(const OperandRef& to, const OperandRef& from);

  const MemoryStore& memory_;
  IntervalMap<Source> map_;
  MemoryStore work_;  // operands of one operation, side by side
  Executor executor_{work_};
  std::uint64_t room_ = 0;  // next free address in work_
};

}  // namespace kb::data
