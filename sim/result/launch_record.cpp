#include "sim/result/launch_record.h"

#include <algorithm>

#include "platform/contract/launch_summary.h"

namespace kb::sim {

void LaunchRecord::set_results(const std::vector<contract::PeResult>& results, bool keep) {
  summary = contract::summarise(results);
  pes = keep ? results : std::vector<contract::PeResult>{};
  last_.reset();
  const auto last = std::max_element(results.begin(), results.end(),
                                     [](const auto& a, const auto& b) { return a.start + a.exec < b.start + b.exec; });
  if (last != results.end()) last_ = LastEndingPe{last->pe, last->ready, last->start, last->exec, last->shares};
}

}  // namespace kb::sim
