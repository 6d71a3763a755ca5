#include "sim/study/sweep/answer.h"

#include "sim/study/sweep/selector.h"

namespace kb::sweep {

std::string to_text(const Answer& answer) {
  Json json;
  if (answer.ok) {
    json["cells"] = answer.cells;
    if (answer.unknown_accesses > 0) json["unknown_accesses"] = answer.unknown_accesses;
  } else {
    json["code"] = answer.code;
    json["cause"] = answer.cause;
    if (answer.attempt > 1) json["attempt"] = answer.attempt;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Answer> answer_of(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  Answer answer;
  if (json.contains("cells") && json["cells"].is_array()) {
    answer.ok = true;
    answer.cells = json["cells"].get<std::vector<Json>>();
    const auto unknown = json.find("unknown_accesses");
    if (unknown != json.end() && unknown->is_number_unsigned()) answer.unknown_accesses = *unknown;
    return answer;
  }
  if (!json.contains("code") || !json["code"].is_string() || !json.contains("cause") || !json["cause"].is_string()) {
    return std::nullopt;
  }
  answer.code = json["code"];
  answer.cause = json["cause"];
  if (json.contains("attempt") && json["attempt"].is_number_unsigned()) answer.attempt = json["attempt"];
  return answer;
}

}  // namespace kb::sweep
