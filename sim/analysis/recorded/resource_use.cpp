#include "sim/analysis/recorded/resource_use.h"

#include <algorithm>

namespace kb::analysis {

std::string cell_of(const Series& series) {
  return series.coord.sip.valid() ? part_name(series.coord) : series.component;
}

std::string class_of(const Series& series) {
  std::string name = series.component + (series.peer.empty() ? " " + series.name : " > " + series.peer), without;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit)
      without += c;
    else if (without.empty() || without.back() != '*')
      without += '*';
  }
  return without;
}

double units_of(const Series& series) {
  return static_cast<double>(std::max<std::int64_t>(1, series.units));
}

double share_of(const Use& use, const Series& series, double span_fs) {
  return use.busy_fs / (units_of(series) * span_fs);
}

double gbs_of(const Series& series, const Machine* machine) {
  if (machine == nullptr) return 0;
  if (series.kind == "memory") return series.coord.pe.valid() ? machine->channel_gbs() : 0;  // not of an SRAM
  return series.kind == "wire" ? machine->wire_gbs(series.component, series.peer) : 0;
}

std::map<std::string, UsageSum> uses_by_purpose(const Activity& activity, const std::vector<Use>& uses, double span_fs,
                                                const Scope& part) {
  std::map<std::string, UsageSum> classes;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Series& series = activity.series()[i];
    if (uses[i].is_empty() || series.kind == "state" || !part.has(series.component, series.coord)) continue;
    classes[class_of(series)].add(i, uses[i], share_of(uses[i], series, span_fs), units_of(series));
  }
  return classes;
}

CellUses uses_by_cell(const Activity& activity, const std::vector<Use>& uses, double span_fs) {
  CellUses found;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Series& series = activity.series()[i];
    if (uses[i].is_empty() || series.kind == "state") continue;
    if (!series.peer.empty() && joins_chips(series.coord, series.peer_coord)) {
      found.between.push_back(i);
      continue;
    }
    found.cells[{cell_of(series), series.kind}].add(i, uses[i], share_of(uses[i], series, span_fs), units_of(series));
  }
  return found;
}

}  // namespace kb::analysis
