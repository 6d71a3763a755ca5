// State of one request that a command processor has split: outstanding branches, results, and the status of the parent.
// Plain data; not a module, takes no time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platform/base/ids.h"
#include "platform/base/units.h"
#include "platform/contract/completion.h"
#include "platform/contract/failure_policy.h"
#include "platform/payload/messages.h"
#include "platform/payload/transaction.h"

namespace kb::modules {

// The receiver of one sub-request.
struct Branch {
  std::string name;   // short name for the table of waits: "pe4", "cube12"
  std::string place;  // full name for failures: "sip0.cube12.pe4"
  PeCoord at;         // order of failures; without a PE when the receiver is not part of one
};

// Counts answers per branch (H-33, H-34), merges the results of the PEs in (sip, cube, pe) order regardless of the
// order of the answers (C-MCPU-12), and applies the failure policy (H-41):
//   fail_fast    the first failure settles the parent with that cause; later answers are drained and ignored
//   collect_all  all answers are awaited; the failure then lists every failing PE and every cause, equal ones once
class FanOut {
 public:
  // `noun` is the term for the branches in texts: "PEs". `since` is the time of dispatch.
  FanOut(contract::FailurePolicy policy, std::string noun, std::vector<Branch> branches, TimeFs since);

  // Records the answer of one branch; `reply` may be null. Returns true when this answer settles the parent. Model
  // Error for an unknown branch or a second answer.
  bool answer(std::size_t branch, const payload::Status& status, const payload::LaunchReply* reply);

  const Branch& branch(std::size_t index) const { return branches_.at(index); }
  bool settled() const { return is_settled_; }
  bool drained() const { return answered_ == branches_.size(); }
  TimeFs since() const { return since_; }

  // Status of the parent; final once settled.
  payload::Status status() const;
  // Results of the PEs that have answered, in (sip, cube, pe) order.
  const std::vector<contract::PeResult>& results() const { return results_; }

  // "3 of 8 PEs: pe1, pe4, pe6"
  std::string missing() const;

 private:
  struct Failure {
    PeCoord at;
    std::string place;
    std::string code;
    std::string message;
  };
  void record_failure(const Branch& branch, const payload::Status& status, std::vector<contract::PeResult> results);

  contract::FailurePolicy policy_;
  std::string noun_;
  std::vector<Branch> branches_;
  std::vector<bool> has_answered_;
  std::size_t answered_ = 0;
  TimeFs since_;
  bool is_settled_ = false;
  std::vector<Failure> failures_;  // in order of arrival
  std::vector<contract::PeResult> results_;
};

}  // namespace kb::modules
