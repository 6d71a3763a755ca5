// Launches that have not ended, by SIP, and what a queued launch has to wait for (H-49a).
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "platform/base/ids.h"
#include "platform/contract/request_id.h"

namespace kb::contract {
class IHost;
struct KernelLaunch;
}  // namespace kb::contract

namespace kb::sw {

class LaunchOrder {
 public:
  explicit LaunchOrder(const contract::IHost& host) : host_(host) {}

  // Gives a queued launch its start barrier: its PEs and those of all launches on its SIP that have not ended.
  void order(contract::KernelLaunch& launch) const;
  void submitted(contract::RequestId request, std::shared_ptr<const contract::KernelLaunch> launch);

 private:
  struct UnderWay {
    contract::RequestId request = 0;
    std::shared_ptr<const contract::KernelLaunch> launch;
  };

  const contract::IHost& host_;
  std::map<SipId, std::vector<UnderWay>> launches_;  // may have ended; none that a queued launch already waits for
};

}  // namespace kb::sw
