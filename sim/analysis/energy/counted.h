// Counted events of a run: how often each happened, for whom, and in which recorded series it shows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/account/place.h"
#include "platform/energy/events.h"
#include "platform/record/activity_recorder.h"
#include "platform/resource/resource_table.h"
#include "platform/topology/graph.h"
#include "sim/analysis/energy/engine_work.h"
#include "sim/analysis/energy/statistic_table.h"

namespace kb::sim {

// What a run leaves for its energy. `recorder` is null when activity was not recorded; there are no places then.
struct EnergyInput {
  const topology::Graph& graph;
  const StatisticTable& statistics;
  const EngineWork& work;
  const std::vector<resource::DeclaredUse>& declared;
  const record::ActivityRecorder* recorder = nullptr;
  TimeFs end = 0_fs;
};

// The events of one row of the energy table, or of a declared resource.
struct Counted {
  // Which quantity of a series says when the events happened.
  enum class Measure : std::uint8_t { bytes, busy };
  struct Series {
    std::uint32_t series = 0;
    std::uint64_t per_unit = 1;  // events for each of its bytes, or weight of its busy time
    Measure measure = Measure::bytes;
  };

  std::string part, name, unit, per, text;
  std::uint32_t ratio = 1;
  const energy::Coefficient* coefficient = nullptr;  // null: not counted
  std::uint64_t total = 0;
  std::map<account::PlaceId, std::uint64_t> by_place;  // place 0 and what is missing from `total` are nobody's
  std::vector<Series> series;
};

// Events with a count above 0, in the order of energy::events(), then those of declared resources.
std::vector<Counted> count_events(const EnergyInput& input);

}  // namespace kb::sim
