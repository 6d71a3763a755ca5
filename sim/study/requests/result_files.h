// Files of `kernbench model requests`: one row per request, per second and per rate.
#pragma once

#include <string>

#include "platform/observe/text_sink.h"
#include "sim/study/requests/rate_sweep.h"
#include "sw/serving/timeline.h"

namespace kb::requests {

// Rows of finished requests with the columns of LLMServingSim 2, in order of completion; times in ns (M-75). As in that
// tool, queuing_delay lasts until the start of the step that completes the input, also when an earlier one has a part.
// `energy`: a last column has the joules of each.
class RequestRows final : public serving::IServerObserver {
 public:
  // Writes the header.
  RequestRows(std::string model, observe::TextSink write, bool energy = false);
  void on_step(const serving::StepRecord&) override {}
  void on_token(std::int64_t) override {}
  void on_finished(const serving::Job& job) override;

 private:
  std::string model_;
  observe::TextSink write_;
  bool energy_;
};

// Header line of the rows below. `energy`: a last column has the mean power in W.
std::string second_columns(bool energy);
std::string second_row(const serving::Second& second, bool energy);

// Times in ms.
std::string rate_table(const RateSweep& sweep);

}  // namespace kb::requests
