#include "sim/web/report/launches.h"

#include <cmath>

#include "platform/base/names.h"
#include "platform/base/whole_number.h"
#include "sim/analysis/recorded/track.h"

namespace kb::web {
namespace {

std::int64_t fs_of(const Json& launch, const char* name) {
  std::int64_t fs = -1;
  const bool known = parse_whole(text_of(launch, name), fs) == std::errc();
  return known && fs >= 0 && fs < analysis::Track::kTimeLimit ? fs : -1;
}

LaunchTimes times_of(const Json& launch) {
  LaunchTimes times;
  times.json = &launch;
  times.name = launch_name(text_of(launch, "kernel"), text_of(launch, "label"));
  times.sip = "sip" + plain(member(launch, "sip"));
  times.whole = {fs_of(launch, "submit_fs"), fs_of(launch, "completed_fs")};
  times.pe = text_of(member(launch, "breakdown"), "pe");
  const std::int64_t start = fs_of(launch, "start_fs");
  // As Math.round() of the page.
  constexpr double kFsInNs = 1e6, kLimit = 4e12;
  const double exec_ns = number_of(member(launch, "pe_exec_ns"), "max");
  if (start >= 0 && exec_ns > 0 && exec_ns < kLimit) times.kernel = {start, start + std::llround(exec_ns * kFsInNs)};
  return times;
}

}  // namespace

const Json& member(const Json& object, const char* name) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(name);
  return found == object.end() ? kNothing : *found;
}

std::string text_of(const Json& object, const char* name) {
  const Json& found = member(object, name);
  return found.is_string() ? found.get<std::string>() : "";
}

double number_of(const Json& object, const char* name) {
  const Json& found = member(object, name);
  return found.is_number() ? found.get<double>() : 0;
}

const Json& list_of(const Json& object, const char* name) {
  static const Json kNone = Json::array();
  const Json& found = member(object, name);
  return found.is_array() ? found : kNone;
}

std::string plain(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? "" : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<LaunchTimes> launches_of(const Json& summary) {
  std::vector<LaunchTimes> all;
  for (const Json& launch : list_of(summary, "launches")) {
    LaunchTimes times = times_of(launch);
    if (times.whole.begin_fs >= 0 && !times.whole.empty()) all.push_back(std::move(times));
  }
  return all;
}

const LaunchTimes* longest_of(const std::vector<LaunchTimes>& launches) {
  const LaunchTimes* longest = nullptr;
  for (const LaunchTimes& launch : launches) {
    if (longest == nullptr || launch.whole.span() > longest->whole.span()) longest = &launch;
  }
  return longest;
}

}  // namespace kb::web
