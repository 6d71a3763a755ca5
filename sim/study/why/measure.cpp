#include "sim/study/why/measure.h"

#include <nlohmann/json.hpp>

namespace kb::why {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ClassUse& use) {
  Json members = Json::array();
  for (const MemberUse& member : use.members) members.push_back({member.name, member.busy.fs(), member.wait.fs()});
  return {use.kind, use.wires, use.busy.fs(), use.wait.fs(), members};
}

TimeFs time_at(const Json& json, std::size_t index) {
  return TimeFs(json.at(index).get<std::int64_t>());
}

ClassUse use_of(const Json& json) {
  ClassUse use{json.at(0).get<std::string>(), json.at(1).get<bool>(), time_at(json, 2), time_at(json, 3), {}};
  for (const Json& member : json.at(4)) {
    use.members.push_back({member.at(0).get<std::string>(), time_at(member, 1), time_at(member, 2)});
  }
  return use;
}

}  // namespace

// Times are integers, so that nothing is rounded.
sweep::Answer answer_of(const Measure& measure) {
  sweep::Answer answer;
  answer.ok = measure.ok;
  answer.code = measure.code;
  answer.cause = measure.cause;
  Json launches = Json::array(), uses = Json::array();
  for (const LaunchTime& launch : measure.launches) {
    launches.push_back({launch.id, launch.submitted.fs(), launch.completed.fs()});
  }
  for (const ClassUse& use : measure.uses) uses.push_back(json_of(use));
  Json code = Json::array();
  for (const CodeUse& use : measure.calls)
    code.push_back({static_cast<int>(use.kind), use.name, use.text, use.time.fs()});
  answer.cells = {measure.time.fs(), launches, measure.limiter, measure.bound_name, measure.bound.fs(), uses, code};
  answer.unknown_accesses = measure.unknown_accesses;
  return answer;
}

Measure measure_of(const sweep::Answer& answer) {
  Measure measure;
  measure.ok = answer.ok;
  measure.code = answer.code;
  measure.cause = answer.cause;
  measure.unknown_accesses = answer.unknown_accesses;
  if (answer.cells.size() != 7) return measure;
  const Json cells(answer.cells);
  measure.time = time_at(cells, 0);
  for (const Json& launch : cells[1]) {
    measure.launches.push_back({launch.at(0).get<std::uint64_t>(), time_at(launch, 1), time_at(launch, 2)});
  }
  measure.limiter = cells[2].get<std::string>();
  measure.bound_name = cells[3].get<std::string>();
  measure.bound = time_at(cells, 4);
  for (const Json& use : cells[5]) measure.uses.push_back(use_of(use));
  for (const Json& use : cells[6]) {
    measure.calls.push_back({static_cast<CodeUse::Kind>(use.at(0).get<int>()), use.at(1).get<std::string>(),
                             use.at(2).get<std::string>(), time_at(use, 3)});
  }
  return measure;
}

}  // namespace kb::why
