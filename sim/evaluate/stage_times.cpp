#include "sim/evaluate/stage_times.h"

#include <algorithm>
#include <array>

namespace kb::evaluate {
namespace {

constexpr std::string_view kStagePrefix = "TileToken/";
constexpr std::array<std::string_view, 4> kEngines{"pe_dma", "pe_fetch_store", "pe_gemm", "pe_math"};

}  // namespace

void IntervalSum::add(TimeFs start, TimeFs end) {
  if (count_ == 0) first_ = last_ = start;
  ++count_;
  accumulate(sum_, end - start);
  union_ += std::max(0_fs, end - std::max(start, last_));
  last_ = std::max(last_, end);
}

StageTimes stage_times(const VisitRecords& visit_all, const std::string& pe) {
  StageTimes times;
  const std::string prefix = pe + ".";
  visit_all([&](const data::LoggedOp& op) {
    if (op.component.substr(0, prefix.size()) != prefix) return;
    const std::string_view engine = op.component.substr(prefix.size());
    if (std::find(kEngines.begin(), kEngines.end(), engine) == kEngines.end()) return;
    times.engines[std::string(engine)].add(op.start, op.end);
    times.pe.add(op.start, op.end);
    if (op.name.substr(0, kStagePrefix.size()) != kStagePrefix) return;
    times.stages[std::string(op.name.substr(kStagePrefix.size()))].add(op.start, op.end);
    times.composite.add(op.start, op.end);
  });
  return times;
}

}  // namespace kb::evaluate
