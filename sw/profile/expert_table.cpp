#include "sw/profile/expert_table.h"

#include <algorithm>

namespace kb::profile {

bool ExpertTable::add(std::int64_t tokens, std::int64_t experts, std::int64_t ns) {
  const auto place = std::lower_bound(experts_.begin(), experts_.end(), experts);
  const auto row = place - experts_.begin();
  if (place == experts_.end() || *place != experts) {
    experts_.insert(place, experts);
    rows_.insert(rows_.begin() + row, Line());
  }
  return rows_[static_cast<std::size_t>(row)].add(tokens, ns);
}

std::int64_t ExpertTable::at(std::int64_t tokens, std::int64_t experts) const {
  const Span span = span_of(experts_, experts);
  return cut_ns(between(rows_[span.low].at(tokens), rows_[span.high].at(tokens), span.weight));
}

std::int64_t ExpertTable::last_tokens() const {
  std::int64_t last = 0;
  for (const Line& row : rows_) last = std::max(last, row.last_key());
  return last;
}

}  // namespace kb::profile
