#include "sim/evaluate/csv.h"

#include <gmock/gmock.h>

#include "sim/evaluate/evaluation.h"
#include "sim/evaluate/pe2pe/pe2pe_evaluation.h"
#include "sim/evaluate/pe_dma/pe_dma_evaluation.h"

namespace kb::evaluate {
namespace {

using testing::HasSubstr;

TEST(Csv, QuotesWhatWouldBreakTheLine) {  // RFC 4180
  EXPECT_EQ(csv_line({"a", "", "12.5"}), "a,,12.5\n");
  EXPECT_EQ(csv_line({"a,b", "say \"x\"", "two\nlines", "\r", " plain "}),
            "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\"\r\", plain \n");
}

TEST(Csv, TablesOfEvaluationsKeepTheirColumnsWhateverTheDataSay) {
  const Json dma = Json::parse(R"({"runs": [{"scenario": "a,b", "le\"ngth,": [1, 2], "breakdown_ns": {"x,y": 3}}]})");
  EXPECT_EQ(pe_dma_csv(dma), "scenario,\"le\"\"ngth,\",\"x,y_ns\"\n\"a,b\",\"[1,2]\",3\n");
  const Json messages = Json::parse(R"({"hops": [{"id": "h,1", "from": "f\"", "to": "t"}], "runs": [{"set": "s\n",
    "hop": "h,1", "method": "m", "buffer_kind": "b", "bytes": 1, "latency_ns": 2.5, "correct": true}]})");
  EXPECT_THAT(pe2pe_csv(messages), HasSubstr("\n\"s\n\",\"h,1\",\"f\"\"\",t,m,b,1,2.5,true\n"));
}

}  // namespace
}  // namespace kb::evaluate
