// Where the host's requests enter the device, and who gets the answers.
#pragma once

#include "platform/payload/transaction.h"

namespace kb::elab {

class IHostPort {
 public:
  // `transaction` carries status, times and reply; its cookie is the submitter's. Called at transaction.completed; the
  // submitter releases the transaction.
  virtual void on_completed(payload::Transaction& transaction) = 0;

 protected:
  ~IHostPort() = default;
};

// Implemented by the block behind each `pcie_ep`.
class IHostEntry {
 public:
  static constexpr const char* kRole = "the entry of host requests";

  // Receiver of the answers to everything submitted here. Must be set before the first submission.
  virtual void set_host(IHostPort& host) = 0;
  // Injects a host request, whose route starts here, now. Requests submitted at one time keep their order.
  virtual void submit(payload::Transaction& transaction) = 0;

 protected:
  ~IHostEntry() = default;
};

}  // namespace kb::elab
