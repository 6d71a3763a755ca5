#include "sim/study/requests/result_files.h"

#include <gtest/gtest.h>

namespace kb::requests {
namespace {

TEST(ResultFiles, RowsHaveTheColumnsOfLlmServingSim) {  // M-75
  std::string text;
  RequestRows rows("meta-llama/Llama-3.1-8B", [&](std::string_view piece) { text += piece; });
  serving::Request request;
  request.input_tokens = 40;
  request.output_tokens = 3;
  serving::Job job;
  job.id = 7;
  job.request = &request;
  job.arrival_ns = 1000;
  job.generated = 3;
  job.scheduled_ns = 1100;
  job.last_prefill_ns = 1300;
  job.first_token_ns = 1500;
  job.last_token_ns = 2105;
  job.gaps_ns = {300, 305};
  rows.on_finished(job);
  EXPECT_EQ(text,
            "instance id,request id,model,input,output,arrival,end_time,latency,queuing_delay,TTFT,TPOT,ITL\n"
            "0,7,meta-llama/Llama-3.1-8B,40,3,1000,2105,1105,300,500,302,\"[300, 305]\"\n");
  text.clear();
  request.output_tokens = job.generated = 1;
  job.last_token_ns = 1500;
  job.gaps_ns.clear();
  rows.on_finished(job);
  EXPECT_EQ(text, "0,7,meta-llama/Llama-3.1-8B,40,1,1000,1500,500,300,500,0,[]\n");
}

TEST(ResultFiles, Seconds) {  // M-76
  serving::Second second;
  second.t = 3;
  second.input_tokens = 100;
  second.output_tokens = 7;
  second.running = 5;
  second.waiting = 2;
  second.used_share = 0.98765;
  EXPECT_EQ(second_row(second, false), "3,100,7,5,2,98.77\n");
  second.joules = 2.5;
  EXPECT_EQ(second_row(second, true), "3,100,7,5,2,98.77,2.5\n");
}

TEST(ResultFiles, Rates) {  // M-77
  RateSweep sweep;
  sweep.points.resize(2);
  sweep.points[1].rate = 2.5;
  sweep.points[1].latency_mean = 1'500'000;
  sweep.knee = 1;
  const std::string table = rate_table(sweep);
  EXPECT_NE(table.find("\n2.5,0,0,0,0,0,1.5,0,0,0,1\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace kb::requests
