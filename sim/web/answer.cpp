#include "sim/web/answer.h"

#include "platform/base/whole_number.h"
#include "sim/web/track.h"

namespace kb::web {

using observe::JsonWriter;

HttpResponse json(JsonWriter& writer) {
  HttpResponse response;
  response.body = writer.take();
  return response;
}

HttpResponse error(int status, const std::string& message) {
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("error").text(message).end_object();
  HttpResponse response = json(writer);
  response.status = status;
  return response;
}

Error bad_request(const std::string& message) {
  return Error::configuration(message);
}

std::int64_t whole(const std::string& name, const std::string& text) {
  std::int64_t value = 0;
  if (parse_whole(text, value) != std::errc()) throw bad_request(name + " has to be a whole number");
  return value;
}

std::int64_t whole(const HttpRequest& request, const std::string& name, std::int64_t otherwise) {
  const auto text = request.parameter(name);
  return text ? whole(name, *text) : otherwise;
}

std::int64_t needed(const HttpRequest& request, const std::string& name) {
  const auto text = request.parameter(name);
  if (!text) throw bad_request(name + " is missing");
  return whole(name, *text);
}

TimeWindow window_of(const HttpRequest& request) {
  const TimeWindow window{needed(request, "t0"), needed(request, "t1")};
  if (window.begin_fs < 0 || window.end_fs <= window.begin_fs || window.end_fs > Track::kTimeLimit) {
    throw bad_request("the window has to begin at 0 or later and to end after its begin");
  }
  return window;
}

}  // namespace kb::web
