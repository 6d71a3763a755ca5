// The server second by second.
#pragma once

#include <cstdint>
#include <functional>

#include "sw/serving/server.h"

namespace kb::serving {

struct Second {
  std::int64_t t = 0;             // its end, in seconds of the server's clock
  std::int64_t input_tokens = 0;  // computed by steps that ended in it
  std::int64_t output_tokens = 0;
  std::size_t running = 0, waiting = 0;  // of the step under way at its end; 0 when the server is idle
  double used_share = 0;                 // share of the blocks in use then
  double joules = 0;                     // where they are counted; those of a step are spread evenly over its time
};

class Timeline final : public IServerObserver {
 public:
  // `write` gets the seconds in order.
  Timeline(std::int64_t blocks, std::function<void(const Second&)> write);

  void on_step(const StepRecord& step) override;
  void on_token(std::int64_t) override {}
  void on_finished(const Job&) override {}
  // Writes the second in which the last step ended.
  void finish();

 private:
  void write_until(std::int64_t ns, const StepRecord* step);
  void spend_until(std::int64_t ns, double watts);

  std::int64_t blocks_;
  std::function<void(const Second&)> write_;
  Second second_;
  std::int64_t end_ns_ = 0;
  std::int64_t spent_ns_ = -1;  // until when joules are counted; below 0: the first step has not begun
  double static_watts_ = 0;
};

}  // namespace kb::serving
