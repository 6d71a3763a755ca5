// The host's outstanding requests, with their submitter and target, and waiting for them.
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
  std::shared_ptr<const contract::TensorLayout> tensor;  // all requests except launches
  std::size_t shard = 0;                                 // transfers
  std::shared_ptr<const contract::KernelLaunch> launch;  // launches
  std::size_t launch_index = 0;                          // launches
};

// Wait functions of the ranks of a spawn (K-36). They return when every request is done, and throw to end a rank whose
// sibling failed.
class IRankWaiter {
 public:
  virtual ~IRankWaiter() = default;
  virtual void wait_until_done(const std::vector<contract::RequestId>& requests, const std::string& reason) = 0;
  // Returns true when another rank has called end_rendezvous() for this one. Returns false when that can no longer
  // happen, because all ranks that have not ended wait here.
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

  // Blocks the calling host thread until the requests are done; returns immediately when they are (K-32).
  void block(const std::vector<contract::RequestId>& requests, const std::string& reason);

  // Waits for the matching outstanding requests; returns them in submission order.
  std::vector<Outstanding> wait_for(const Filter& filter, const std::string& reason);
  // Waits like wait_for() and removes the requests from the list, so that the caller reports their failures.
  std::vector<Outstanding> take(const Filter& filter, const std::string& reason);

  // True when an unfinished transfer or launch uses the tensor. Map and unmap requests do not count, because later
  // messages reach each PE_MMU after them.
  bool uses(std::uint64_t tensor_id) const;
  std::vector<contract::RequestId> users(std::uint64_t tensor_id) const;

  // Program Error with the completion's code and a description of the request when it has failed.
  void throw_if_failed(const Outstanding& request) const;

 private:
  contract::IHost& host_;
  IRankWaiter* rank_waiter_ = nullptr;
  std::vector<Outstanding> outstanding_;  // in submission order
  std::uint64_t submitted_ = 0;
};

bool touches(const Outstanding& request, std::uint64_t tensor_id);

}  // namespace kb::sw
