#include "sw/profile/launch_step_time.h"

#include <algorithm>
#include <cmath>

#include "platform/base/units.h"

namespace kb::profile {

// The sum of the parts of one table.
double LaunchStepTime::step_of(LaunchTables& tables, const serving::Batch& batch) const {
  std::int64_t decodes = 0, contexts = 0, chunk = 0, past = 0;
  std::vector<contract::ChunkSequence> chunks;
  for (const serving::BatchEntry& entry : batch) {
    if (entry.new_tokens == 1) {
      ++decodes;
      contexts += entry.past + 1;
    } else {
      chunks.push_back({0, entry.new_tokens, entry.past + entry.new_tokens});
      chunk += entry.new_tokens;
      past += entry.past;
    }
  }
  const Knots tokens = count_knots(decodes + chunk), sequences = count_knots(static_cast<std::int64_t>(batch.size()));
  const LaunchTables::Parts products = tables.at(CellKind::products, tokens);
  double all = sum_of(products);
  if (sums_) all += sum_of(tables.at(CellKind::sums, tokens));
  all += sum_of(tables.at(chunk > 0 ? CellKind::picked_ends : CellKind::ends, sequences));
  if (decodes > 0) {
    const LaunchTables::Parts own =
        tables.at(CellKind::decodes, count_knots(decodes), context_knots(contexts / decodes));
    all += own[static_cast<std::size_t>(DecodePart::attention)];
    if (chunk == 0) {
      all += own[static_cast<std::size_t>(DecodePart::rotation)];
      all -= products[static_cast<std::size_t>(ProductPart::rotation)];
    }
  }
  if (chunk > 0) {
    all += sum_of(tables.at(CellKind::chunks, chunk_knots(chunk), past_knots(past), chunk_work(shape_, chunks)));
  }
  return all;
}

std::int64_t LaunchStepTime::step_ns(const serving::Batch& batch) {
  return std::max<std::int64_t>(1, std::llround(step_of(tables_, batch) / static_cast<double>(kFsPerNs)));
}

std::optional<serving::StepEnergy> LaunchStepTime::step_energy(const serving::Batch& batch) {
  if (joules_ == nullptr) return std::nullopt;
  return serving::StepEnergy{
      {step_of(joules_->value, batch), step_of(joules_->low, batch), step_of(joules_->high, batch)},
      joules_->static_watts};
}

std::vector<std::string> LaunchStepTime::abstractions() const {
  std::vector<std::string> list = {
      "launches take the times of simulated ones, on straight lines between the points of a grid",
      "decodes count with the mean of their contexts: the launches that stand for them have contexts as the requests "
      "of the trace have them",
      "several chunks take the time per work of one with as many tokens, times the work of the PE with the most",
      "blocks of keys and values lie as in a cache that was just filled, page by page over all PEs",
      joules_ == nullptr
          ? "energy is not counted: the machine has no coefficients (--set energy.defaults=...)"
          : "joules of launches lie on the same lines as their times; static power counts from the first "
            "arrival to the last token"};
  if (sums_) list.emplace_back("sums over SIPs take the time of one that all SIPs begin together");
  list.insert(list.end(), approximations_.begin(), approximations_.end());
  return list;
}

}  // namespace kb::profile
