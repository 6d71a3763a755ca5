#include "sim/study/requests/request_checks.h"

#include <fmt/format.h>

#include "sim/study/requests/input_text.h"

namespace kb::requests {
namespace {

using serving::kNoRequest;
using serving::Request;

struct Complaint {
  std::string message, remedy;
};

Complaint complaint_of(const Request& request, const serving::VllmLimits& limits, std::int64_t max_positions) {
  const std::int64_t all = request.input_tokens + request.output_tokens;
  if (request.input_tokens < 1) return {"the request has no input tokens", "write at least 1"};
  if (request.output_tokens < 1) return {"the request has no output tokens", "write at least 1"};
  if (all > max_positions) {
    return {
        fmt::format("the request has {} tokens, and max_position_embeddings of the model is {}", all, max_positions),
        "cut it"};
  }
  const std::int64_t blocks = (all - 1 + limits.block_size - 1) / limits.block_size;
  if (blocks > limits.blocks) {
    return {fmt::format("the request needs {} blocks, and there are {}", blocks, limits.blocks),
            "raise --blocks, or cut it"};
  }
  return {};
}

// Leaves out the marked requests; `next` follows the others.
void remove(std::vector<Request>& requests, const std::vector<bool>& marked) {
  std::vector<std::size_t> place(requests.size(), kNoRequest);
  std::vector<Request> kept;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (marked[i]) continue;
    place[i] = kept.size();
    kept.push_back(std::move(requests[i]));
  }
  for (Request& request : kept) {
    if (request.next != kNoRequest) request.next = place[request.next];
  }
  requests = std::move(kept);
}

}  // namespace

std::size_t check_requests(const std::string& file, RequestTrace& trace, const serving::VllmLimits& limits,
                           std::int64_t max_positions, bool skip) {
  Problems problems;
  std::vector<bool> marked(trace.requests.size(), false);
  std::size_t count = 0;
  for (std::size_t i = 0; i < trace.requests.size() && !problems.full(); ++i) {
    const Request& request = trace.requests[i];
    const Complaint complaint = complaint_of(request, limits, max_positions);
    if (complaint.message.empty() && !marked[i]) continue;
    ++count;
    marked[i] = true;
    if (request.next != kNoRequest) marked[request.next] = true;
    if (!skip) {
      problems.add(file, static_cast<std::size_t>(request.line), "", complaint.message,
                   complaint.remedy + "; --skip-unusable leaves such requests out");
      marked.assign(marked.size(), false);
    }
  }
  problems.throw_if_any();
  if (count == 0) return 0;
  remove(trace.requests, marked);
  if (trace.requests.empty()) throw Error::configuration(file + ": no request of the trace can be served");
  trace.warnings.push_back({file, 0, 0, "", fmt::format("{} requests that cannot be served are left out", count), ""});
  return count;
}

}  // namespace kb::requests
