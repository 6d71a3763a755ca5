#include "platform/data/taint_map.h"

#include "platform/data/copy_ranges.h"
#include "platform/engine/engine_row.h"

namespace kb::data {

void TaintMap::apply(std::uint64_t sequence, const OpRecord& record) {
  const auto assign = [&](const OperandRef& out, std::string_view name) {
    const Origin origin{sequence, record.component, out.dtype, name};
    for (const Extent& extent : out.extents) map_.assign(extent.pa, extent.pa + extent.nbytes, origin);
  };
  if (const auto* gemm = std::get_if<GemmOp>(&record.op)) {
    assign(gemm->out, "");
  } else if (const auto* math = std::get_if<MathOpRecord>(&record.op)) {
    assign(math->out, math_op_name(math->op));
    if (math->positions) assign(*math->positions, math_op_name(math->op));
  } else if (const auto* call = std::get_if<EngineOp>(&record.op)) {
    assign(call->out, call->row->name);
  } else if (const auto* sum = std::get_if<CopyOp>(&record.op); sum != nullptr && sum->added) {
    const Origin origin{sequence, record.component, *sum->added, math_op_name(MathOp::add)};
    for (const Extent& extent : sum->destination) map_.assign(extent.pa, extent.pa + extent.nbytes, origin);
  } else if (map_.empty()) {
    return;
  } else if (const auto* moved = std::get_if<CopyOp>(&record.op)) {
    copy_ranges(map_, moved->source, moved->destination, [](const Origin& origin, std::uint64_t) { return origin; });
  } else if (const auto* write = std::get_if<WriteOp>(&record.op)) {
    for (const Extent& extent : write->destination) map_.erase(extent.pa, extent.pa + extent.nbytes);
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
