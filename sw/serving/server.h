// The loop of a server: requests arrive, the policy makes a batch, the batch takes its time, tokens appear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "sw/serving/i_batch_policy.h"
#include "sw/serving/i_step_time.h"
#include "sw/serving/request.h"

namespace kb::serving {

// A step that is over. Times are nanoseconds of the server's clock, which begins at 0.
struct StepRecord {
  std::int64_t begin_ns = 0, end_ns = 0;
  const Batch* batch = nullptr;
  std::size_t running = 0, waiting = 0;  // while it ran
  std::int64_t used_blocks = 0;
  std::optional<StepEnergy> energy = {};  // where it is counted
};

// What listens to a server.
class IServerObserver {
 public:
  virtual ~IServerObserver() = default;
  virtual void on_step(const StepRecord& step) = 0;
  virtual void on_token(std::int64_t gap_ns) = 0;  // every output token but the first of a request
  virtual void on_finished(const Job& job) = 0;    // in order of completion, within a step in order of admission
};

class Server {
 public:
  // All of them outlive the server. Every request must fit the blocks of the policy.
  Server(const std::vector<Request>& requests, IBatchPolicy& policy, IStepTime& times);

  void add_observer(IServerObserver& observer) { observers_.push_back(&observer); }
  void keep_gaps() { keep_gaps_ = true; }  // finished jobs have the gaps between their tokens

  // Serves all requests; calls `tick` after every step. Model Error when the policy plans nothing while jobs wait.
  void run(const std::function<void()>& tick = {});
  std::size_t finished() const { return finished_; }

 private:
  using Arrival = std::pair<std::int64_t, std::size_t>;  // time, request

  void take_arrivals();
  void step();
  void share_joules(const StepRecord& step);
  void take_token(Job& job);
  void finish(Job& job);

  const std::vector<Request>& requests_;
  IBatchPolicy& policy_;
  IStepTime& times_;
  std::vector<IServerObserver*> observers_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::vector<std::unique_ptr<Job>> jobs_;  // by request; null before its arrival and after its end
  Batch batch_;
  std::int64_t now_ns_ = 0;
  std::size_t finished_ = 0;
  bool keep_gaps_ = false;
};

}  // namespace kb::serving
