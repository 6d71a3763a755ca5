// The host's outstanding requests: who submitted them, what they touch, and waiting for them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platform/contract/request_id.h"

namespace kb::contract {
class IHost;
struct KernelLaunch;
struct TensorLayout;
}  // namespace kb::contract

namespace kb::sw {

enum class RequestKind : std::uint8_t { write, read, launch, map, unmap };

struct Outstanding {
  contract::RequestId request = 0;
  int rank = -1;  // -1: the main program
  RequestKind kind = RequestKind::write;
  std::shared_ptr<const contract::TensorLayout> tensor;  // all but launches
  std::size_t shard = 0;                                 // transfers
  std::shared_ptr<const contract::KernelLaunch> launch;  // launches
  std::size_t launch_index = 0;                          // launches
};

// How the ranks of a spawn wait (K-36). Returns when every request is done; throws to end a rank whose sibling failed.
class IRankWaiter {
 public:
  virtual ~IRankWaiter() = default;
  virtual void wait_until_done(const std::vector<contract::RequestId>& requests, const std::string& reason) = 0;
  // Returns when another rank has called end_rendezvous() for this one. False when that can no longer happen, because
  // every rank that has not ended waits like this one.
  virtual bool meet(const std::string& reason) = 0;
  virtual void end_rendezvous(const std::vector<int>& ranks) = 0;
};

class RequestTracker {
 public:
  using Filter = std::function<bool(const Outstanding&)>;

  explicit RequestTracker(contract::IHost& host) : host_(host) {}

  void set_rank_waiter(IRankWaiter* waiter) { rank_waiter_ = waiter; }

  void add(Outstanding request);
  std::uint64_t submitted() const { return submitted_; }

  // Blocks the calling host thread until the requests are done; returns at once when they are (K-32).
  void block(const std::vector<contract::RequestId>& requests, const std::string& reason);

  // Waits for the outstanding requests that match; returns them in submission order.
  std::vector<Outstanding> wait_for(const Filter& filter, const std::string& reason);
  // Waits as wait_for() and takes them off the list: their failures are the caller's to report.
  std::vector<Outstanding> take(const Filter& filter, const std::string& reason);

  // An unfinished transfer or launch touches the tensor. Map and unmap requests do not count: whatever follows them
  // reaches each PE_MMU behind them.
  bool uses(std::uint64_t tensor_id) const;
  std::vector<contract::RequestId> users(std::uint64_t tensor_id) const;

  // Program Error with the completion's code when a request failed; says what it was.
  void throw_if_failed(const Outstanding& request) const;

 private:
  contract::IHost& host_;
  IRankWaiter* rank_waiter_ = nullptr;
  std::vector<Outstanding> outstanding_;  // submission order
  std::uint64_t submitted_ = 0;
};

bool touches(const Outstanding& request, std::uint64_t tensor_id);

}  // namespace kb::sw
