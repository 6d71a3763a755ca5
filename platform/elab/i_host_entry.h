// Entry of host requests into the device, and the receiver of their answers.
#pragma once

#include "platform/payload/transaction.h"

namespace kb::elab {

class IHostPort {
 public:
  // `transaction` carries status, times and reply; its cookie belongs to the submitter. Called at
  // transaction.completed; the submitter releases the transaction.
  virtual void on_completed(payload::Transaction& transaction) = 0;

 protected:
  ~IHostPort() = default;
};

// Implemented by the block of each `pcie_ep`.
class IHostEntry {
 public:
  static constexpr const char* kRole = "the entry of host requests";

  // Sets the receiver of all answers. Must be called before the first submission.
  virtual void set_host(IHostPort& host) = 0;
  // Injects a host request now; its route starts here. Requests submitted at the same time keep their order.
  virtual void submit(payload::Transaction& transaction) = 0;

 protected:
  ~IHostEntry() = default;
};

}  // namespace kb::elab
