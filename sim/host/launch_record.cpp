#include "sim/host/launch_record.h"

#include <algorithm>

namespace kb::sim {
namespace {

TimeFs greatest(const std::vector<contract::PeResult>& pes, TimeFs contract::PeResult::*field) {
  TimeFs value = 0;
  for (const contract::PeResult& pe : pes) value = std::max(value, pe.*field);
  return value;
}

}  // namespace

TimeFs LaunchRecord::exec_min() const {
  if (pes.empty()) return 0;
  TimeFs value = kNever;
  for (const contract::PeResult& pe : pes) value = std::min(value, pe.exec);
  return value;
}

TimeFs LaunchRecord::exec_max() const {
  return greatest(pes, &contract::PeResult::exec);
}
TimeFs LaunchRecord::dma_max() const {
  return greatest(pes, &contract::PeResult::dma);
}
TimeFs LaunchRecord::compute_max() const {
  return greatest(pes, &contract::PeResult::compute);
}
TimeFs LaunchRecord::late_max() const {
  return greatest(pes, &contract::PeResult::late);
}

const contract::PeResult* LaunchRecord::last_pe() const {
  if (pes.empty() || completed == kNever) return nullptr;
  return &*std::max_element(pes.begin(), pes.end(), [](const contract::PeResult& a, const contract::PeResult& b) {
    return a.start + a.exec < b.start + b.exec;
  });
}

std::size_t LaunchRecord::late_pes() const {
  return static_cast<std::size_t>(
      std::count_if(pes.begin(), pes.end(), [](const contract::PeResult& pe) { return pe.late > 0; }));
}

}  // namespace kb::sim
