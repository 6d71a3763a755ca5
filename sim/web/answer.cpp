#include "sim/web/answer.h"

#include <algorithm>
#include <cctype>

#include "platform/base/glob.h"
#include "platform/base/whole_number.h"
#include "sim/analysis/recorded/track.h"

namespace kb::web {

using observe::JsonWriter;

HttpResponse json(JsonWriter& writer) {
  HttpResponse response;
  response.body = writer.str();
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

bool name_matches(const std::string& wanted, const std::string& name) {
  const auto lower = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  };
  const std::string pattern = lower(wanted), text = lower(name);
  const bool glob = pattern.find_first_of("*?") != std::string::npos;
  return glob ? glob_match(pattern, text) : text.find(pattern) != std::string::npos;
}

std::string csv_text(const std::string& text) {
  std::string quoted = "\"";
  if (!text.empty() && std::string("=+-@\t\r").find(text[0]) != std::string::npos) quoted += '\'';
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

TimeWindow window_of(const HttpRequest& request) {
  const TimeWindow window{needed(request, "t0"), needed(request, "t1")};
  if (window.begin_fs < 0 || window.end_fs <= window.begin_fs || window.end_fs > analysis::Track::kTimeLimit) {
    throw bad_request("the window has to begin at 0 or later and to end after its begin");
  }
  return window;
}

}  // namespace kb::web
