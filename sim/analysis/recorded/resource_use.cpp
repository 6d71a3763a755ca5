#include "sim/analysis/recorded/resource_use.h"

#include <algorithm>
#include <string_view>

namespace kb::analysis {

std::string peer_of(const Series& series) {
  constexpr std::string_view kTo = "to_";
  const bool wire = series.kind == "link" && std::string_view(series.name).substr(0, kTo.size()) == kTo;
  return wire ? series.name.substr(kTo.size()) : "";
}

std::string class_of(const Series& series) {
  const std::string peer = peer_of(series);
  std::string name = series.component + (peer.empty() ? " " + series.name : " > " + peer), without;
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
  if (series.kind == "pseudo_channel") return machine->channel_gbs();
  return series.kind == "link" ? machine->wire_gbs(series.component, peer_of(series)) : 0;
}

std::map<std::string, UseSum> uses_by_purpose(const Activity& activity, const std::vector<Use>& uses, double span_fs,
                                              const std::string& under) {
  std::map<std::string, UseSum> classes;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Series& series = activity.series()[i];
    if (uses[i].is_empty() || series.kind == "state" || !is_under(series.component, under)) continue;
    classes[class_of(series)].add(i, uses[i], share_of(uses[i], series, span_fs), units_of(series));
  }
  return classes;
}

CellUses uses_by_cell(const Activity& activity, const std::vector<Use>& uses, double span_fs) {
  CellUses found;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Series& series = activity.series()[i];
    if (uses[i].is_empty() || series.kind == "state") continue;
    const std::string peer = peer_of(series);
    if (!peer.empty() && group_of(peer) != group_of(series.component)) {
      found.between.push_back(i);
      continue;
    }
    found.cells[{cell_of(series.component), series.kind}].add(i, uses[i], share_of(uses[i], series, span_fs),
                                                              units_of(series));
  }
  return found;
}

}  // namespace kb::analysis
