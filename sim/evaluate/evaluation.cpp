#include "sim/evaluate/evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"

namespace kb::evaluate {

std::string describe(const Point& point) {
  std::string text = point.trace.empty() ? "bench " + point.workload : std::string("traffic");
  for (const auto& [name, value] : point.params) text += " " + name + "=" + value;
  for (const auto& [name, value] : point.machine_sets) text += " " + name + "=" + value;
  return text;
}

void refuse_others(const std::string& evaluation, const EvaluationOptions& options,
                   const std::vector<std::string>& known) {
  const std::string draws = options.draws == 0 ? "" : std::to_string(options.draws);
  const std::pair<const char*, const std::string*> choices[] = {{"--shapes", &options.shapes},
                                                                {"--exclude", &options.exclude},
                                                                {"--sections", &options.sections},
                                                                {"--draws", &draws},
                                                                {"--reference", &options.reference}};
  std::string accepted;
  for (const std::string& name : known) accepted += (accepted.empty() ? "" : " and ") + name;
  for (const auto& [name, value] : choices) {
    if (value->empty() || std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error(ErrorFamily::configuration, "USAGE_ERROR",
                std::string(name) + " is not a choice of the evaluation " + evaluation + ", which " +
                    (accepted.empty() ? "has none of its own" : "knows " + accepted));
  }
}

std::int64_t whole_number(const Json& object, const char* member, std::int64_t least, std::int64_t most) {
  const Json& value = object.at(member);
  if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    const bool wrapped = value.is_number_unsigned() && number < 0;
    if (!wrapped && number >= least && number <= most) return number;
  }
  constexpr int kId = 501;
  throw Json::other_error::create(kId, fmt::format("{} must be a whole number from {} to {}", member, least, most),
                                  &value);
}

void require_runs(bool there, const std::string& what) {
  if (!there) throw Error::configuration("the data file has no runs of " + what + "; measure again without --fast");
}

}  // namespace kb::evaluate
