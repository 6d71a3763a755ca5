// The ranks of one spawn: when each may go on after a wait.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platform/contract/i_host.h"
#include "sw/distributed/spawn.h"
#include "sw/runtime/request_tracker.h"

namespace kb::sw {

// Thrown inside a rank whose sibling failed. Not a std::exception, so that a rank's own error handling lets it pass.
struct RankAborted {};

class RankGroup final : public IRankWaiter {
 public:
  RankGroup(contract::IHost& host, int nprocs, RankMode mode);
  ~RankGroup() override;

  // Called by a rank; throws RankAborted.
  void wait_until_done(const std::vector<contract::RequestId>& requests, const std::string& reason) override;
  bool meet(const std::string& reason) override;
  void end_rendezvous(const std::vector<int>& ranks) override;
  void check_aborted() const;

  // The calling rank has returned or failed.
  void finish();
  void abort();  // siblings end at their wait or, not begun yet, at once

 private:
  struct State;
  contract::IHost& host_;
  std::shared_ptr<State> state_;  // completion callbacks may outlive the group
};

}  // namespace kb::sw
