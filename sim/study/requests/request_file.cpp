#include "sim/study/requests/request_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/text_kind.h"
#include "sim/study/requests/input_text.h"
#include "sw/serving/arrivals.h"

namespace kb::requests {
namespace {

void check_times(const std::string& file, RequestTrace& trace, Problems& problems) {
  std::int64_t before = 0;
  int unsorted_line = 0;
  for (const serving::Request& request : trace.requests) {
    if (request.waits) continue;
    const auto line = static_cast<std::size_t>(request.line);
    if (request.arrival_ns < 0)
      problems.add(file, line, "", "the request arrives before time 0", "write times from 0 on");
    if (request.arrival_ns > serving::kLatestArrivalNs) {
      problems.add(file, line, "", "the request arrives later than a million seconds after the begin", "cut the trace");
    }
    if (request.arrival_ns < before && unsorted_line == 0) unsorted_line = request.line;
    before = std::max(before, request.arrival_ns);
  }
  if (unsorted_line > 0) {
    trace.warnings.push_back({file, unsorted_line, 0, "", "the rows are not in the order of their times",
                              "requests are served in the order of their arrival, equal times in that of the file"});
  }
}

// Refuses files that are no trace. `first`: where the text begins.
void check_kind(const std::string& file, const std::string& text, std::size_t first) {
  check_text_kind(file, text);
  if (first == std::string::npos || text[first] != '[') return;
  throw Error({Diagnostic{file, 0, 0, "", "is one JSON list, and a trace has an object on each line",
                          "jq -c '.[]' writes it so"}});
}

}  // namespace

RequestTrace read_requests(const std::string& file, const TraceRules& rules) {
  const std::string text = read_text(file);
  RequestTrace trace;
  Problems problems;
  const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const bool lines = first != std::string::npos && text[first] == '{';
  check_kind(file, text, first);
  (lines ? read_request_lines : read_request_columns)(file, text, rules, trace, problems);
  check_times(file, trace, problems);
  if (problems.empty() && trace.requests.empty()) {
    problems.add(file, 0, "", "the trace has no requests", "add at least one");
  }
  problems.throw_if_any();
  return trace;
}

}  // namespace kb::requests
