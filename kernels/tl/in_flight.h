// The asynchronous operations of a kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"
#include "platform/contract/source_line.h"

namespace kb::tl {

// The memory that a command writes, or to which it receives a message; null when it writes only scratch.
const std::vector<Extent>* memory_written_by(const contract::Command& command);

// Operations from their call until the kernel has waited for them, in call order, with the bytes of scratch and of
// received messages that they read and write.
class InFlight {
 public:
  InFlight(const Extent& scratch, const Extent& messages) : scratch_(scratch), messages_(messages) {}

  struct Use {
    Extent bytes;
    bool writes = false;
  };
  struct Operation {
    std::uint64_t number = 0;  // number in the kernel
    contract::IPe::Ticket ticket = 0;
    const char* call = "";
    std::uint64_t call_index = 0;
    contract::SourceLine at;
    bool has_result = false;   // a kernel must wait for the result
    bool is_prefetch = false;  // kernels cannot wait for it
    std::vector<Use> uses;
    std::vector<Extent> memory;  // memory that it writes, as in its command

    std::string name() const;  // "tl.load_async #3 at gemm.cpp:12"
  };

  bool empty() const { return open_.empty(); }
  const std::vector<Operation>& open() const { return open_; }
  Operation& back() { return open_.back(); }
  // Adds an operation; `command` determines the bytes that it uses. The reference is valid until the next add or
  // remove.
  Operation& add(const contract::Command& command, contract::IPe::Ticket ticket, bool has_result);
  const Operation* find(std::uint64_t number) const;
  void remove(std::uint64_t number);
  std::uint64_t started() const { return started_; }

  // The first operation that conflicts with an access to these bytes: one that writes them or, if `writes`, one that
  // reads them. Null when there is none.
  const Operation* conflict(const Extent& bytes, bool writes) const;
  const Operation* conflict(const contract::Command& command) const;

 private:
  static bool inside(const Extent& bytes, const Extent& outer) { return bytes.pa - outer.pa < outer.nbytes; }
  bool local(const Extent& bytes) const { return inside(bytes, scratch_) || inside(bytes, messages_); }

  Extent scratch_, messages_;
  std::vector<Operation> open_;
  std::vector<Operation> spare_;  // reused, so that an operation needs no allocation
  std::uint64_t started_ = 0;
};

}  // namespace kb::tl
