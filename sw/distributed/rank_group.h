// Scheduling of the ranks of one spawn after a wait.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platform/contract/i_host.h"
#include "sw/distributed/spawn.h"
#include "sw/runtime/request_tracker.h"

namespace kb::sw {

// Thrown inside a rank when another rank of the spawn has failed. It is not a std::exception, so that error handling of
// the rank does not catch it.
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

  // Called when the calling rank has returned or failed.
  void finish();
  void abort();  // ends the other ranks at their next wait, or immediately if they have not begun

 private:
  struct State;
  contract::IHost& host_;
  std::shared_ptr<State> state_;  // shared, because completion callbacks may outlive the group
};

}  // namespace kb::sw
