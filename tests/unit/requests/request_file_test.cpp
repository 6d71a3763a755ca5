#include "sim/study/requests/request_file.h"

#include <gmock/gmock.h>

#include "tests/unit/requests/text_files.h"

namespace kb::requests {
namespace {

using serving::Request;
using testing::ElementsAre;
using testing::HasSubstr;

class RequestFileTest : public FilesTest {
 protected:
  RequestTrace read(const std::string& text) { return read_requests(write("trace", text), rules_); }
  std::string refused(const std::string& text) {
    return message([&] { read(text); });
  }
  // "arrival/input/output" of each request.
  static std::vector<std::string> rows(const RequestTrace& trace) {
    std::vector<std::string> all;
    for (const Request& one : trace.requests) {
      all.push_back(std::to_string(one.arrival_ns) + "/" + std::to_string(one.input_tokens) + "/" +
                    std::to_string(one.output_tokens));
    }
    return all;
  }
  TraceRules rules_;
};

TEST_F(RequestFileTest, Azure) {  // M-68
  const RequestTrace trace = read(
      "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
      "2023-11-30 23:59:59.0000000,812,15\r\n"
      "2023-11-30 23:59:59.2500001,33,120\r\n"
      "2023-12-01 00:01:01.5000000,4090,9\r\n");
  EXPECT_EQ(trace.format, "Azure");
  EXPECT_THAT(rows(trace), ElementsAre("0/812/15", "250000100/33/120", "62500000000/4090/9"));
  EXPECT_TRUE(trace.warnings.empty());
  EXPECT_EQ(trace.requests[1].line, 3);
}

TEST_F(RequestFileTest, AzureWithImagesAndOffsets) {  // M-68
  EXPECT_THAT(rows(read("TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n"
                        "2025-01-01 00:00:00.5+00:00,2,900,5\n2025-01-01 00:00:01+00:00,0,30,6\n")),
              ElementsAre("0/900/5", "500000000/30/6"));
}

TEST_F(RequestFileTest, Vidur) {  // M-68
  const RequestTrace trace = read(
      "arrived_at,num_prefill_tokens,num_decode_tokens,colour\n0.0,812.9,15,red\n0.2500001,33,120,\n62.5,4090,9,"
      "blue\n");
  EXPECT_EQ(trace.format, "Vidur");
  EXPECT_THAT(rows(trace), ElementsAre("0/812/15", "250000100/33/120", "62500000000/4087/9"));
  ASSERT_EQ(trace.warnings.size(), 1u);
  EXPECT_THAT(trace.warnings[0].text(), HasSubstr("1 requests are longer than 4096 tokens"));
  rules_.vidur_max_tokens = 5000;
  EXPECT_EQ(read("arrived_at,num_prefill_tokens,num_decode_tokens\n62.5,4090,9\n").requests[0].input_tokens, 4090);
}

TEST_F(RequestFileTest, VidurLengthsAreCutInProportionAndShuffled) {  // M-68
  std::string text = "num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio\n6000,2000,8000,3\n0,5,5,0\n";
  const RequestTrace trace = read(text);
  EXPECT_FALSE(trace.has_times);
  EXPECT_THAT(rows(trace), testing::UnorderedElementsAre("0/3072/1024", "0/1/5"));
  for (int i = 0; i < 50; ++i) text += std::to_string(i + 10) + ",3,0,0\n";
  const std::vector<std::string> first = rows(read(text));
  EXPECT_EQ(rows(read(text)), first);
  rules_.seed = 2;
  EXPECT_NE(rows(read(text)), first);
  EXPECT_THAT(rows(read(text)), testing::UnorderedElementsAreArray(first));
}

TEST_F(RequestFileTest, LengthsTakeTheirTimesFromAnotherFile) {  // M-68
  const std::string lengths = "num_prefill_tokens,num_decode_tokens\n10,1\n10,1\n";
  RequestTrace trace = read(lengths);
  read_arrival_times(
      write("times", "n,arrival_time\n0,2023-11-16 18:00:01.9\n1,2023-11-16 18:00:04.1\n2,2023-11-17 00:00:00\n"),
      trace);
  EXPECT_TRUE(trace.has_times);
  EXPECT_THAT(rows(trace), ElementsAre("0/10/1", "3000000000/10/1"));
  const auto refused_times = [&](const std::string& text, const std::string& requests) {
    RequestTrace other = read(requests);
    return message([&] { read_arrival_times(write("times", text), other); });
  };
  EXPECT_THAT(refused_times("arrival_time\n2023-11-16 18:00:01\n2024-01-01 00:00:00\n", lengths),
              HasSubstr("span more than a million seconds"));
  EXPECT_THAT(refused_times("arrival_time\n2023-11-16 18:00:01\n", lengths),
              HasSubstr("there are 1 times for 2 requests"));
  EXPECT_THAT(refused_times("arrival_tim\n2023-11-16 18:00:01\n", lengths), HasSubstr("did you mean 'arrival_tim'?"));
  EXPECT_THAT(refused_times("arrival_time\nnoon\n", lengths), HasSubstr("times:2: arrival_time: 'noon' is not a time"));
  EXPECT_THAT(
      refused_times("arrival_time\n2023-11-16 18:00:01\n", "arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,1\n"),
      HasSubstr("the trace has times of its own"));
}

TEST_F(RequestFileTest, Splitwise) {  // M-68
  const std::string head =
      "request_id,request_type,application_id,arrival_timestamp,batch_size,prompt_size,token_size\n";
  EXPECT_THAT(rows(read(head + "0,2,0,0.5,1,100,7\n1,2,0,0.75,1,50,3\n")),
              ElementsAre("500000000/100/7", "750000000/50/3"));
  EXPECT_THAT(refused(head + "0,1,0,0.5,1,100,7\n"),
              HasSubstr("trace:2: request_type: '1' is not a request to the model"));
  EXPECT_THAT(refused(head + "0,2,0,0.5,4,100,7\n"), HasSubstr("batch_size: '4' requests in one row"));
}

TEST_F(RequestFileTest, Lines) {  // M-68
  const RequestTrace trace = read(
      "{\"input_toks\":40,\"output_toks\":3,\"arrival_time_ns\":0}\n\n"
      "{\"input_toks\":17,\"output_toks\":1,\"arrival_time_ns\":250000000,\"block_ids\":[4]}\r\n");
  EXPECT_EQ(trace.format, "LLMServingSim");
  EXPECT_THAT(rows(trace), ElementsAre("0/40/3", "250000000/17/1"));
  EXPECT_THAT(trace.requests[1].contents, ElementsAre(4));
  EXPECT_EQ(trace.requests[1].line, 3);
}

TEST_F(RequestFileTest, Sessions) {  // M-68
  const RequestTrace trace = read(
      "{\"input_toks\":1,\"output_toks\":1,\"arrival_time_ns\":5}\n"
      "{\"session_id\":\"s\",\"arrival_time_ns\":9,\"sub_requests\":[{\"input_toks\":8,\"output_toks\":2,"
      "\"tool_duration_ns\":5000000},{\"input_toks\":20,\"output_toks\":2}]}\n");
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_THAT(rows(trace), ElementsAre("5/1/1", "9/8/2", "0/20/2"));
  EXPECT_FALSE(trace.requests[1].waits);
  EXPECT_EQ(trace.requests[1].next, 2u);
  EXPECT_EQ(trace.requests[1].pause_ns, 5'000'000);
  EXPECT_TRUE(trace.requests[2].waits);
  EXPECT_EQ(trace.requests[2].next, serving::kNoRequest);
}

TEST_F(RequestFileTest, EqualTokensUpToTheEndOfABlockHaveEqualNumbers) {  // M-73
  rules_.block_size = 2;
  const RequestTrace trace = read(
      "{\"input_toks\":4,\"output_toks\":3,\"arrival_time_ns\":0,\"input_tok_ids\":[1,2,3,4],\"output_tok_ids\":[5,6,7]"
      "}\n"
      "{\"input_toks\":6,\"output_toks\":1,\"arrival_time_ns\":0,\"input_tok_ids\":[1,2,3,4,5,6]}\n"
      "{\"input_toks\":4,\"output_toks\":1,\"arrival_time_ns\":0,\"input_tok_ids\":[9,2,3,4]}\n");
  const auto contents = [&](std::size_t i) { return trace.requests[i].contents; };
  ASSERT_EQ(contents(0).size(), 3u);
  EXPECT_EQ(contents(1), contents(0));  // outputs 5 and 6 are the next question
  ASSERT_EQ(contents(2).size(), 2u);
  EXPECT_NE(contents(2)[0], contents(0)[0]);
  EXPECT_NE(contents(2)[1], contents(0)[1]);  // equal tokens behind another text
}

TEST_F(RequestFileTest, BlockIdsStandForSixteenTokens) {  // M-73
  const std::string text = "{\"input_toks\":60,\"output_toks\":10,\"arrival_time_ns\":0,\"block_ids\":[1,2,3,4,5,6]}\n";
  EXPECT_THAT(read(text).requests[0].contents, ElementsAre(1, 2, 3, 4));  // 70 tokens have four full blocks
  rules_.block_size = 32;
  EXPECT_THAT(read(text).requests[0].contents, ElementsAre(2, 4));
  rules_.block_size = 24;
  EXPECT_THAT(refused(text), HasSubstr("block_ids: an id stands for 16 tokens, and a block has 24"));
}

TEST_F(RequestFileTest, WrongLines) {  // M-78
  EXPECT_THAT(refused("{\"input_toks\":4,\"output_toks\":3,\"arrival_time_ns\":-5}\n"),
              HasSubstr("trace:1: arrival_time_ns: is -5 (write a whole number from 0 on)"));
  EXPECT_THAT(refused("{\"input_tokens\":4,\"output_toks\":3,\"arrival_time_ns\":0}\n"),
              HasSubstr("input_toks: the key is missing (did you write 'input_tokens' for it?)"));
  EXPECT_THAT(refused("{\"input_toks\":4,\"output_toks\":3,\"arrival_time_ns\":0}\n{\"input_toks\":4,\n"),
              HasSubstr("trace:2:"));
  EXPECT_THAT(refused("{\"input_toks\":4.5,\"output_toks\":3,\"arrival_time_ns\":0}\n"),
              HasSubstr("input_toks: is 4.5"));
  EXPECT_THAT(refused("{\"input_toks\":1e300,\"output_toks\":3,\"arrival_time_ns\":0}\n"),
              HasSubstr("input_toks: is 1"));
  EXPECT_THAT(refused("{\"input_toks\":4,\"output_toks\":3,\"arrival_time_ns\":0,\"input_tok_ids\":[1,-2]}\n"),
              HasSubstr("input_tok_ids: is not a list of ids"));
  const std::string whole = "{\"input_toks\":4,\"output_toks\":3,\"arrival_time_ns\":0}\n";
  EXPECT_THAT(
      refused("{\"input_toks\":4,\"output_toks\":3,\"arrival_time_ns\":0,\"block_ids\":[18446744073709551615]}\n"),
      HasSubstr("block_ids: is not a list of ids"));
  EXPECT_THAT(refused(whole + "{\"input_toks\":4,\"arrival_time_ns\":0}\n"),
              HasSubstr("trace:2: output_toks: the key is missing (add it)"));  // input_toks is no misspelling of it
  EXPECT_THAT(refused(whole + "{\"input_toks\":4,\"input_toks\":5}\n"),
              HasSubstr("trace:2: /input_toks is there twice"));
  EXPECT_THAT(refused(whole + "{\"input_toks\":NaN}\n"), HasSubstr("trace:2:15: is not JSON: invalid literal"));
  EXPECT_THAT(refused("{\"arrival_time_ns\":0,\"sub_requests\":[]}\n"),
              HasSubstr("sub_requests: is not a list of calls"));
}

TEST_F(RequestFileTest, UnknownKeysAreNamedOnce) {  // M-78
  const RequestTrace trace = read(
      "{\"input_toks\":4,\"output_toks\":3,\"arrival_time_ns\":0,\"blok_ids\":[1]}\n"
      "{\"input_toks\":4,\"output_toks\":3,\"arrival_time_ns\":0,\"blok_ids\":[1]}\n");
  ASSERT_EQ(trace.warnings.size(), 1u);
  EXPECT_THAT(trace.warnings[0].text(),
              HasSubstr("trace:1: blok_ids: the key is not read (did you mean 'block_ids'?)"));
}

TEST_F(RequestFileTest, WrongTables) {  // M-78
  EXPECT_THAT(refused("a,b\n1,2\n"), HasSubstr("the columns a,b are of no known trace"));
  EXPECT_THAT(refused(""), HasSubstr("the file is empty"));
  EXPECT_THAT(refused("arrived_at;num_prefill_tokens;num_decode_tokens\n0;1;1\n"),
              HasSubstr("trace:1: the columns are separated by ';' (separate them by commas)"));
  EXPECT_THAT(refused("arrived_at\tnum_prefill_tokens\tnum_decode_tokens\n"), HasSubstr("are separated by tabs"));
  EXPECT_THAT(refused("[{\"input_toks\":4}]\n"), HasSubstr("a trace has an object on each line (jq -c '.[]'"));
  EXPECT_THAT(refused(std::string("\xff\xfe{\0", 4)), HasSubstr("is UTF-16, not UTF-8"));
  EXPECT_THAT(refused("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n"), HasSubstr("git lfs pull"));
  EXPECT_LT(refused(std::string(100'000, 'a')).size(), 1000u);
  EXPECT_THAT(refused("arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,\"1\n0,1,1\n"),
              HasSubstr("trace:2: a quotation mark of the row is not closed"));
  EXPECT_THAT(refused("arrived_at,num_prefill_tokens,num_decode_tokens\n0\n"), HasSubstr("the row has 1 cell instead"));
  EXPECT_THAT(refused("TIMESTAMP,ContextTokens,GeneratedTokens\n"), HasSubstr("the trace has no requests"));
  EXPECT_THAT(refused("TIMESTAMP,ContextToken,GeneratedTokens\n2023-11-16 18:00:00,1,1\n"),
              HasSubstr("ContextTokens: the column is missing (did you write 'ContextToken' for it?)"));
  EXPECT_THAT(refused("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:00,1,1\n"),
              HasSubstr("trace:2: TIMESTAMP: '2023-11-16 18:00' is not a time"));
  EXPECT_THAT(refused("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:00:00,-1,1\n"),
              HasSubstr("'-1' is not a number of tokens"));
  EXPECT_THAT(refused("arrived_at,num_prefill_tokens,num_decode_tokens\n-0.5,1,1\n"),
              HasSubstr("'-0.5' is not a time"));
  EXPECT_THAT(refused("arrived_at,num_prefill_tokens,num_decode_tokens\n0,1\n"),
              HasSubstr("the row has 2 cells instead of 3"));
  EXPECT_THAT(refused("arrived_at,num_prefill_tokens,num_decode_tokens\n0,10,4096\n"),
              HasSubstr("leave no room for an input"));
  EXPECT_THAT(refused("arrived_at,num_prefill_tokens,num_decode_tokens\n2e6,10,4\n"),
              HasSubstr("arrives later than a million seconds"));
}

TEST_F(RequestFileTest, UnsortedRowsAreNoted) {  // M-78
  const RequestTrace trace =
      read("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:00:01,1,1\n2023-11-16 18:00:00,2,1\n");
  EXPECT_THAT(rows(trace), ElementsAre("1000000000/1/1", "0/2/1"));
  ASSERT_EQ(trace.warnings.size(), 1u);
  EXPECT_THAT(trace.warnings[0].text(), HasSubstr("trace:3: the rows are not in the order of their times"));
}

}  // namespace
}  // namespace kb::requests
