// The operations of a kernel that go on beside it.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"

namespace kb::tl {

// Operations from their call until the kernel has waited for them, in the order of the calls, with the bytes of the
// PE's TCM that they read and write.
class InFlight {
 public:
  struct Use {
    Extent bytes;
    bool writes = false;
  };
  struct Operation {
    std::uint64_t number = 0;  // among those of the kernel
    contract::IPe::Ticket ticket = 0;
    const char* call = "";
    std::uint64_t call_index = 0;
    bool has_result = false;  // which is of no use to a kernel that does not wait
    std::vector<Use> uses;
  };

  bool empty() const { return open_.empty(); }
  const std::vector<Operation>& open() const { return open_; }
  // The next operation; `command` says which bytes it uses. The reference holds until the next call of add or remove.
  Operation& add(const contract::Command& command, contract::IPe::Ticket ticket, bool has_result);
  const Operation* find(std::uint64_t number) const;
  void remove(std::uint64_t number);
  std::uint64_t started() const { return started_; }

  // The first operation that the use of these bytes would disturb or be disturbed by: one that writes them, or, if
  // `writes`, one that reads them. Null when there is none.
  const Operation* conflict(const Extent& bytes, bool writes) const;
  const Operation* conflict(const contract::Command& command) const;

 private:
  std::vector<Operation> open_;
  std::vector<std::vector<Use>> spare_;  // so that an operation costs no allocation
  std::uint64_t started_ = 0;
};

}  // namespace kb::tl
