#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "platform/base/nearest.h"
#include "sim/study/files/csv.h"
#include "sim/study/requests/input_text.h"
#include "sim/study/requests/request_file.h"
#include "sim/study/requests/timestamp.h"
#include "sw/serving/arrivals.h"

namespace kb::requests {
namespace {

constexpr const char* kColumn = "arrival_time";
std::vector<std::int64_t> seconds_in(const std::string& file, Problems& problems) {
  const std::string text = read_text(file);
  files::CsvReader csv(text);
  std::vector<files::CsvCell> cells;
  std::vector<std::string> header;
  if (csv.next(cells)) {
    for (const files::CsvCell& cell : cells) header.push_back(cell.text);
  }
  const auto column = static_cast<std::size_t>(std::find(header.begin(), header.end(), kColumn) - header.begin());
  std::vector<std::int64_t> seconds;
  if (column == header.size()) {
    problems.add(file, csv.line(), kColumn, "the column is missing",
                 header.empty() ? "add it" : suggest(kColumn, header));
    return seconds;
  }
  while (!problems.full() && csv.next(cells)) {
    const std::string time = column < cells.size() ? cells[column].text : "";
    const std::optional<std::int64_t> ns = timestamp_ns(time);
    if (ns) {
      seconds.push_back(*ns / kNsPerS);
    } else {
      problems.add(file, csv.line(), kColumn, "'" + time + "' is not a time",
                   "write a date and a time, e.g. 2023-11-16 18:00:00");
    }
  }
  return seconds;
}

}  // namespace

void read_arrival_times(const std::string& file, RequestTrace& trace) {
  Problems problems;
  if (trace.has_times) problems.add(file, 0, "", "the trace has times of its own", "leave out --arrival-times");
  const std::vector<std::int64_t> seconds = seconds_in(file, problems);
  if (problems.empty() && seconds.size() < trace.requests.size()) {
    problems.add(file, 0, "", fmt::format("there are {} times for {} requests", seconds.size(), trace.requests.size()),
                 "add times, or remove requests");
  }
  problems.throw_if_any();
  const auto [earliest, latest] = std::minmax_element(seconds.begin(), seconds.end());
  if (*latest - *earliest > serving::kLatestArrivalNs / kNsPerS) {
    problems.add(file, 0, "", "the times span more than a million seconds", "cut the file");
  }
  problems.throw_if_any();
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    trace.requests[i].arrival_ns = (seconds[i] - *earliest) * kNsPerS;
  }
  trace.has_times = true;
}

}  // namespace kb::requests
