#include "platform/observe/json_writer.h"
#include "sim/study/verify/verification.h"

namespace kb::verify {

std::string render_verify_json(const VerifyReport& report) {
  observe::JsonWriter json;
  json.begin_object().key("schema").integer(1);
  json.key("model").text(report.model).key("machine").text(report.machine);
  json.key("dtype").text(dtype_name(report.dtype)).key("tp").integer(report.tp);
  json.key("weights").text(report.weights).key("seed").unsigned_integer(report.seed);
  json.key("prompt").integer(report.prompt).key("decode").integer(report.decode);
  json.key("steps").unsigned_integer(report.programs).key("launches").unsigned_integer(report.launches);
  json.key("passed").boolean(report.failed() == 0);
  json.key("tokens").begin_array(true);
  for (const std::int64_t token : report.tokens) json.integer(token);
  json.end_array();
  json.key("checks").begin_array();
  for (const Check& check : report.checks) {
    json.begin_object(true);
    json.key("check").text(check.name).key("against").text(check.against).key("measure").text(check.measure);
    json.key("found").real(check.figure).key("bound").real(check.bound);
    json.key("passed").boolean(check.passed()).key("where").text(check.where);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.str() + '\n';
}

}  // namespace kb::verify
