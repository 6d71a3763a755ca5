#include "sw/profile/launch_step_time.h"

#include <algorithm>
#include <cmath>

#include "platform/base/units.h"

namespace kb::profile {

std::int64_t LaunchStepTime::step_ns(const serving::Batch& batch) {
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
  const LaunchTables::Parts products = tables_.at(CellKind::products, tokens);
  double fs = sum_of(products);
  if (sums_) fs += sum_of(tables_.at(CellKind::sums, tokens));
  fs += sum_of(tables_.at(chunk > 0 ? CellKind::picked_ends : CellKind::ends, sequences));
  if (decodes > 0) {
    const LaunchTables::Parts own =
        tables_.at(CellKind::decodes, count_knots(decodes), context_knots(contexts / decodes));
    fs += own[static_cast<std::size_t>(DecodePart::attention)];
    if (chunk == 0) {
      fs += own[static_cast<std::size_t>(DecodePart::rotation)];
      fs -= products[static_cast<std::size_t>(ProductPart::rotation)];
    }
  }
  if (chunk > 0) {
    fs += sum_of(tables_.at(CellKind::chunks, chunk_knots(chunk), past_knots(past), chunk_work(shape_, chunks)));
  }
  return std::max<std::int64_t>(1, std::llround(fs / static_cast<double>(kFsPerNs)));
}

std::vector<std::string> LaunchStepTime::abstractions() const {
  std::vector<std::string> list = {
      "launches take the times of simulated ones, on straight lines between the points of a grid",
      "decodes count with the mean of their contexts: the launches that stand for them have contexts as the requests "
      "of the trace have them",
      "several chunks take the time per work of one with as many tokens, times the work of the PE with the most",
      "blocks of keys and values lie as in a cache that was just filled, page by page over all PEs",
      "energy is not counted: times of launches have no joules"};
  if (sums_) list.emplace_back("sums over SIPs take the time of one that all SIPs begin together");
  return list;
}

}  // namespace kb::profile
