#include "platform/data/taint_map.h"

#include <algorithm>

namespace kb::data {

void TaintMap::apply(std::uint64_t sequence, const OpRecord& record) {
  const auto assign = [&](const OperandRef& out, std::optional<MathOp> math) {
    const Origin origin{sequence, record.component, out.dtype, math};
    for (const Extent& extent : out.extents) map_.assign(extent.pa, extent.pa + extent.nbytes, origin);
  };
  if (const auto* gemm = std::get_if<GemmOp>(&record.op)) {
    assign(gemm->out, std::nullopt);
  } else if (const auto* math = std::get_if<MathOpRecord>(&record.op)) {
    assign(math->out, math->op);
    if (math->positions) assign(*math->positions, math->op);
  } else if (const auto* sum = std::get_if<CopyOp>(&record.op); sum != nullptr && sum->added) {
    const Origin origin{sequence, record.component, *sum->added, MathOp::add};
    for (const Extent& extent : sum->destination) map_.assign(extent.pa, extent.pa + extent.nbytes, origin);
  } else if (map_.empty()) {
    return;
  } else if (const auto* moved = std::get_if<CopyOp>(&record.op)) {
    copy(*moved);
  } else if (const auto* write = std::get_if<WriteOp>(&record.op)) {
    for (const Extent& extent : write->destination) map_.erase(extent.pa, extent.pa + extent.nbytes);
  }
}

void TaintMap::copy(const CopyOp& op) {
  struct Piece {
    std::uint64_t begin, end;  // bytes from the start of the copy
    Origin origin;
  };
  std::vector<Piece> pieces;
  std::uint64_t offset = 0;
  for (const Extent& from : op.source) {
    map_.for_each(from.pa, from.pa + from.nbytes, [&](std::uint64_t begin, std::uint64_t end, const Origin& origin) {
      pieces.push_back({offset + (begin - from.pa), offset + (end - from.pa), origin});
      return true;
    });
    offset += from.nbytes;
  }
  offset = 0;
  auto piece = pieces.begin();
  for (const Extent& to : op.destination) {
    map_.erase(to.pa, to.pa + to.nbytes);
    const std::uint64_t stop = offset + to.nbytes;
    while (piece != pieces.end() && piece->begin < stop) {
      const std::uint64_t begin = std::max(piece->begin, offset);
      map_.assign(to.pa + (begin - offset), to.pa + (std::min(piece->end, stop) - offset), piece->origin);
      if (piece->end > stop) break;  // the rest belongs to the next extent
      ++piece;
    }
    offset = stop;
  }
}

std::optional<TaintMap::Found> TaintMap::find(const std::vector<Extent>& extents) const {
  std::optional<Found> found;
  for (const Extent& extent : extents) {
    map_.for_each(extent.pa, extent.pa + extent.nbytes, [&](std::uint64_t begin, std::uint64_t, const Origin& origin) {
      found = Found{begin, origin};
      return false;
    });
    if (found) break;
  }
  return found;
}

}  // namespace kb::data
