// Memory contents that are known in a run without data (data mode off; decision 0047).
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

// Tracks integers that the host or a kernel wrote, through all copies, MATH operations and atomic additions of at most
// kMostElements elements. All other bytes are unknown, including bytes that were never written. No bytes are copied: a
// range refers to its original buffer.
class KnownContents {
 public:
  static constexpr std::int64_t kMostElements = 4096;

  // Contents that `memory` keeps outside are never known, because an outside model may change them.
  explicit KnownContents(const MemoryStore& memory);

  bool empty() const { return map_.empty(); }
  std::size_t ranges() const { return map_.size(); }
  void apply(const OpRecord& record);
  void forget(std::uint64_t pa, std::uint64_t nbytes) { map_.erase(pa, pa + nbytes); }
  // Bytes of the extents in order; no value when one of them is unknown.
  std::optional<std::vector<std::byte>> read(const std::vector<Extent>& extents) const;

 private:
  // Bytes of a buffer, or of a repeating pattern. `origin` is the address of its first byte, modulo 2^64. When the
  // source is a tile of a larger tensor, `origin` is the address of byte `first` of the buffer, whose rows are `pitch`
  // bytes apart.
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
  // Source that results from copying rows of one buffer to one place; no value for other copies.
  std::optional<Source> tile(const CopyOp& op) const;
  bool knows_some(const std::vector<Extent>& extents) const;  // may also be true for bytes between the extents
  void forget(const std::vector<Extent>& extents);
  void assign(const Extent& extent, const Source& source);
  // Computes the operation on operands in work_. Returns no value when an operand is unknown, too large or not of
  // integers, or when the operation fails (for example by a division by zero, which runs with data report).
  std::optional<MathOpRecord> computed(const MathOpRecord& op);
  // Copies an operand to a free place in work_; false when it is unknown.
  bool take(OperandRef& operand);
  void give(const OperandRef& to, const OperandRef& from);

  const MemoryStore& memory_;
  IntervalMap<Source> map_;
  MemoryStore work_;  // contents of the operands of one operation
  Executor executor_{work_};
  std::uint64_t room_ = 0;  // next free address in work_
};

}  // namespace kb::data
