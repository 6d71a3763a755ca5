#include "platform/data/known_contents.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "platform/base/error.h"
#include "platform/data/copy_ranges.h"

namespace kb::data {
namespace {

// A repeated fill of a kernel needs no buffer. All element sizes divide the period.
constexpr std::uint8_t kPeriod = 8;
bool repeats(const std::vector<std::byte>& bytes) {
  return bytes.size() >= kPeriod && std::equal(bytes.begin() + kPeriod, bytes.end(), bytes.begin());
}

bool is_small(const OperandRef& operand) {
  return !is_float(operand.dtype) && operand.dtype != Dtype::i4 &&
         element_count(operand.shape) <= KnownContents::kMostElements;
}

}  // namespace

KnownContents::KnownContents(const MemoryStore& memory) : memory_(memory) {}

void KnownContents::apply(const OpRecord& record) {
  if (const auto* copy = std::get_if<CopyOp>(&record.op)) {
    apply(*copy);
  } else if (const auto* write = std::get_if<WriteOp>(&record.op)) {
    apply(*write);
  } else if (map_.empty()) {
    return;
  } else if (const auto* gemm = std::get_if<GemmOp>(&record.op)) {
    forget(gemm->out.extents);
  } else if (const auto* math = std::get_if<MathOpRecord>(&record.op)) {
    apply(*math);
  } else if (const auto* call = std::get_if<EngineOp>(&record.op)) {
    forget(call->out.extents);
  }
}

void KnownContents::apply(const CopyOp& op) {
  if (map_.empty()) return;
  if (op.assumed) {
    forget(op.destination);
    forget(op.reachable);
  } else if (op.added) {
    add(op);
  } else if (!knows_some(op.source)) {
    forget(op.destination);
  } else if (const std::optional<Source> rows = tile(op)) {
    assign(op.destination.front(), *rows);
  } else {
    copy_ranges(map_, op.source, op.destination, [](Source source, std::uint64_t distance) {
      source.origin += distance;
      return source;
    });
    for (const Extent& to : op.destination) {
      if (memory_.is_external(to.pa, to.nbytes)) forget({to});
    }
  }
}

void KnownContents::apply(const WriteOp& op) {
  if (!op.known) return forget(op.destination);
  Source source{op.buffer, op.pattern, 0};
  std::uint64_t first = op.buffer_offset;
  if (op.buffer && op.name == WriteName::scratch_write && repeats(*op.buffer)) {
    source.pattern = {0, kPeriod};
    std::memcpy(&source.pattern.value, op.buffer->data(), kPeriod);
    source.buffer.reset();
  }
  if (source.buffer) {
    source.pattern = {};
  } else {
    first = 0;
  }
  for (const Extent& extent : op.destination) {
    source.origin = extent.pa - first;
    assign(extent, source);
    first += extent.nbytes;
  }
}

// Pieces with equal addresses are added one after the other, like in the executor.
void KnownContents::add(const CopyOp& op) {
  const std::size_t item = item_size(*op.added);
  const std::uint64_t nbytes = total_bytes(op.destination);
  const bool small = !is_float(*op.added) && nbytes <= static_cast<std::uint64_t>(kMostElements) * item;
  const auto added = small ? read(op.source) : std::nullopt;
  if (!added) return forget(op.destination);
  std::size_t done = 0;
  for (const Extent& to : op.destination) {
    auto there = read({to});
    if (!there || to.nbytes % item != 0) {
      forget({to});
    } else {
      constexpr std::uint64_t kAdded = MemoryStore::kPageBytes * 4;
      work_.write(0, there->data(), to.nbytes);
      work_.write(kAdded, added->data() + done, to.nbytes);
      OpRecord record;
      record.op = CopyOp{CopyName::dma_write, {{kAdded, to.nbytes}}, {{0, to.nbytes}}, {}, 0, op.added};
      executor_.execute(record);
      auto sum = std::make_shared<std::vector<std::byte>>(to.nbytes);
      work_.read(0, sum->data(), to.nbytes);
      assign(to, {std::move(sum), {}, to.pa});
    }
    done += to.nbytes;
  }
}

void KnownContents::apply(const MathOpRecord& op) {
  const std::optional<MathOpRecord> done = computed(op);
  forget(op.out.extents);
  if (op.positions) forget(op.positions->extents);
  if (!done) return;
  give(op.out, done->out);
  if (op.positions) give(*op.positions, *done->positions);
}

std::optional<MathOpRecord> KnownContents::computed(const MathOpRecord& op) {
  const auto usable = [](const OperandRef& operand) { return operand.immediate || is_small(operand); };
  if (op.op == MathOp::rand || !op.epilogues.empty() || !is_small(op.out) ||
      !std::all_of(op.inputs.begin(), op.inputs.end(), usable))
    return {};
  OpRecord record;
  MathOpRecord& own = record.op.emplace<MathOpRecord>(op);
  room_ = 0;
  for (OperandRef& input : own.inputs) {
    if (!take(input)) return {};
  }
  const auto place = [&](OperandRef& out) {
    out.extents = {{room_, out.nbytes()}};
    room_ += out.nbytes();
  };
  place(own.out);
  if (own.positions) place(*own.positions);
  try {
    executor_.execute(record);
  } catch (const Error&) {
    return {};
  }
  return own;
}

bool KnownContents::take(OperandRef& operand) {
  if (operand.immediate) return true;
  const auto bytes = read(operand.extents);
  if (!bytes) return false;
  work_.write(room_, bytes->data(), bytes->size());
  operand.extents = {{room_, bytes->size()}};
  room_ += bytes->size();
  return true;
}

void KnownContents::give(const OperandRef& to, const OperandRef& from) {
  auto bytes = std::make_shared<std::vector<std::byte>>();
  work_.gather(from.extents, *bytes);
  WriteOp write;
  write.destination = to.extents;
  write.buffer = std::move(bytes);
  write.known = true;
  apply(write);
}

bool KnownContents::knows_some(const std::vector<Extent>& extents) const {
  if (extents.empty()) return false;
  std::uint64_t begin = extents.front().pa, end = begin;
  for (const Extent& extent : extents) {
    begin = std::min(begin, extent.pa);
    end = std::max(end, extent.pa + extent.nbytes);
  }
  bool some = false;
  map_.for_each(begin, end, [&](std::uint64_t, std::uint64_t, const Source&) {
    some = true;
    return false;
  });
  return some;
}

std::optional<KnownContents::Source> KnownContents::tile(const CopyOp& op) const {
  const std::vector<Extent>& rows = op.source;
  if (rows.size() < 2 || op.destination.size() != 1 || rows[1].pa < rows[0].pa + rows[0].nbytes) return std::nullopt;
  const std::uint64_t row = rows[0].nbytes, pitch = rows[1].pa - rows[0].pa;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].nbytes != row || rows[i].pa != rows[i - 1].pa + pitch) return std::nullopt;
  }
  std::optional<Source> tile;
  const std::uint64_t begin = rows.front().pa, end = rows.back().pa + row;
  map_.for_each(begin, end, [&](std::uint64_t from, std::uint64_t to, const Source& source) {
    if (from == begin && to == end && source.buffer && source.row == 0) tile = source;
    return false;
  });
  if (tile) {
    tile->first = begin - tile->origin;
    tile->row = row;
    tile->pitch = pitch;
    tile->origin = op.destination.front().pa;
  }
  return tile;
}

void KnownContents::forget(const std::vector<Extent>& extents) {
  if (!knows_some(extents)) return;
  for (const Extent& extent : extents) map_.erase(extent.pa, extent.pa + extent.nbytes);
}

void KnownContents::assign(const Extent& extent, const Source& source) {
  if (memory_.is_external(extent.pa, extent.nbytes)) return forget({extent});
  map_.assign(extent.pa, extent.pa + extent.nbytes, source);
}

std::optional<std::vector<std::byte>> KnownContents::read(const std::vector<Extent>& extents) const {
  std::vector<std::byte> bytes(total_bytes(extents));
  std::uint64_t done = 0, found = 0;
  for (const Extent& extent : extents) {
    map_.for_each(extent.pa, extent.pa + extent.nbytes,
                  [&](std::uint64_t begin, std::uint64_t end, const Source& source) {
                    source.read(begin, bytes.data() + done + (begin - extent.pa), end - begin);
                    found += end - begin;
                    return true;
                  });
    done += extent.nbytes;
  }
  if (found < done) return std::nullopt;
  return bytes;
}

void KnownContents::Source::read(std::uint64_t pa, std::byte* bytes, std::uint64_t nbytes) const {
  if (buffer && row > 0) {
    while (nbytes > 0) {
      const std::uint64_t at = pa - origin, piece = std::min(nbytes, row - at % row);
      std::memcpy(bytes, buffer->data() + first + at / row * pitch + at % row, piece);
      pa += piece;
      bytes += piece;
      nbytes -= piece;
    }
    return;
  }
  if (buffer) {
    std::memcpy(bytes, buffer->data() + (pa - origin), nbytes);
    return;
  }
  for (std::uint64_t i = 0; i < nbytes; ++i) {
    bytes[i] = static_cast<std::byte>(pattern.value >> (pa + i - origin) % pattern.width * 8);
  }
}

}  // namespace kb::data
