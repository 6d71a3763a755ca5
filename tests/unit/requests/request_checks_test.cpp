#include "sim/study/requests/request_checks.h"

#include <gmock/gmock.h>

#include "tests/unit/requests/text_files.h"

namespace kb::requests {
namespace {

using testing::HasSubstr;

class RequestChecksTest : public FilesTest {
 protected:
  RequestChecksTest() {
    limits_.blocks = 4;
    limits_.block_size = 4;
  }
  static RequestTrace trace(const std::vector<std::pair<std::int64_t, std::int64_t>>& rows) {
    RequestTrace all;
    for (const auto& [input, output] : rows) {
      serving::Request request;
      request.input_tokens = input;
      request.output_tokens = output;
      request.line = static_cast<int>(all.requests.size()) + 1;
      all.requests.push_back(request);
    }
    return all;
  }
  std::string refused(RequestTrace all, std::int64_t positions = 100) {
    return message([&] { check_requests("t", all, limits_, positions, false); });
  }
  serving::VllmLimits limits_;
};

TEST_F(RequestChecksTest, RequestsThatCannotBeServedAreNamed) {  // M-78
  EXPECT_EQ(refused(trace({{15, 2}, {16, 1}})), "");             // the last output token needs no block
  EXPECT_THAT(refused(trace({{1, 1}, {15, 3}})), HasSubstr("t:2: the request needs 5 blocks, and there are 4"));
  EXPECT_THAT(refused(trace({{0, 1}})), HasSubstr("t:1: the request has no input tokens"));
  EXPECT_THAT(refused(trace({{1, 0}})), HasSubstr("the request has no output tokens"));
  EXPECT_THAT(refused(trace({{8, 3}}), 10), HasSubstr("has 11 tokens, and max_position_embeddings of the model is 10"));
  EXPECT_EQ(refused(trace({{8, 2}}), 10), "");
}

TEST_F(RequestChecksTest, OrAreLeftOutWithTheLaterCallsOfTheirSession) {  // M-78
  RequestTrace all = trace({{0, 1}, {2, 1}, {90, 1}, {3, 1}, {4, 1}});
  all.requests[1].next = 2;
  all.requests[2].next = 3;
  all.requests[2].waits = all.requests[3].waits = true;
  EXPECT_EQ(check_requests("t", all, limits_, 100, true), 3u);
  ASSERT_EQ(all.requests.size(), 2u);
  EXPECT_EQ(all.requests[0].input_tokens, 2);
  EXPECT_EQ(all.requests[0].next, serving::kNoRequest);
  EXPECT_EQ(all.requests[1].input_tokens, 4);
  EXPECT_THAT(all.warnings.back().text(), HasSubstr("3 requests that cannot be served are left out"));
  RequestTrace none = trace({{0, 1}});
  EXPECT_THAT(message([&] { check_requests("t", none, limits_, 100, true); }), HasSubstr("no request"));
}

TEST_F(RequestChecksTest, KeepsTheOrderOfSessionsBehindRemovedRequests) {
  RequestTrace all = trace({{0, 1}, {2, 1}, {3, 1}});
  all.requests[1].next = 2;
  all.requests[2].waits = true;
  check_requests("t", all, limits_, 100, true);
  EXPECT_EQ(all.requests[0].next, 1u);
}

}  // namespace
}  // namespace kb::requests
