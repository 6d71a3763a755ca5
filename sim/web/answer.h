// Helpers for the answers of the page's server.
#pragma once

#include <cstdint>
#include <string>

#include "platform/base/error.h"
#include "platform/data/op_log_database.h"
#include "platform/observe/json_writer.h"
#include "sim/web/http_server.h"

namespace kb::web {

constexpr double kQuerySeconds = 10;
constexpr int kNotFound = 404, kBadRequest = 400, kTooSlow = 503;

HttpResponse json(observe::JsonWriter& writer);
HttpResponse error(int status, const std::string& message);

// An invalid request; becomes status 400.
Error bad_request(const std::string& message);
std::int64_t whole(const std::string& name, const std::string& text);
std::int64_t whole(const HttpRequest& request, const std::string& name, std::int64_t otherwise);
std::int64_t needed(const HttpRequest& request, const std::string& name);

// `wanted` is a part of the name, or a pattern (`*`, `?`) for the whole name; case is ignored.
bool name_matches(const std::string& wanted, const std::string& name);
// A table cell. A text that a spreadsheet would interpret as a formula is prefixed with an apostrophe.
std::string csv_text(const std::string& text);

// [id, file, line, call, range, tensor]
void write_place(observe::JsonWriter& writer, const data::OpLogNames::Place& place);

struct TimeWindow {
  std::int64_t begin_fs = 0, end_fs = 0;
  double span() const { return static_cast<double>(end_fs - begin_fs); }
};
// The window given by the parameters t0 and t1.
TimeWindow window_of(const HttpRequest& request);

}  // namespace kb::web
