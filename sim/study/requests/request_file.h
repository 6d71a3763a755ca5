// Traces of requests in the formats of other tools.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/error.h"
#include "sw/serving/request.h"

namespace kb::requests {

class Problems;

struct TraceRules {
  std::int64_t block_size = 16;          // of the contents that the prefix cache compares
  std::int64_t vidur_max_tokens = 4096;  // longer rows of Vidur's traces are cut
  std::uint64_t seed = 1;                // order of Vidur's lengths
};

struct RequestTrace {
  std::string format;                      // "LLMServingSim"
  std::vector<serving::Request> requests;  // in the order of the file
  bool has_times = true;                   // false: lengths only, all arrive at 0
  std::vector<Diagnostic> warnings;
};

// Reads a trace, packed by gzip or not; the first line says which format it has (M-68). Configuration Error with all
// problems: unknown formats, missing columns, values that are none, negative times. Requests without tokens are read.
RequestTrace read_requests(const std::string& file, const TraceRules& rules);

// Arrivals of a trace without times: a CSV with a column arrival_time, dates that are cut to seconds; the earliest one
// is time 0. The requests take them in order. Configuration Error when there are fewer than requests.
void read_arrival_times(const std::string& file, RequestTrace& trace);

// Parsers for read_requests(): a line of JSON per request or session, and tables with a header line.
void read_request_lines(const std::string& file, const std::string& text, const TraceRules& rules, RequestTrace& trace,
                        Problems& problems);
void read_request_columns(const std::string& file, const std::string& text, const TraceRules& rules,
                          RequestTrace& trace, Problems& problems);

}  // namespace kb::requests
