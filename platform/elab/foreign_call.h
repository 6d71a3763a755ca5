// Calls into foreign blocks: blocks of plug-ins and of user programs, and blocks that simulate RTL. Built-in blocks are
// trusted.
#pragma once

#include <utility>

#include "platform/elab/block.h"

namespace kb::elab {

// During its lifetime, the code of another block runs: code of `node` when the node is foreign, otherwise the
// simulator's own.
class UserCodeScope {
 public:
  UserCodeScope(const topology::Node& node, TimeFs now);
  ~UserCodeScope();
  UserCodeScope(const UserCodeScope&) = delete;
  UserCodeScope& operator=(const UserCodeScope&) = delete;

 private:
  Foreground::View before_;
};

// Ends the run with the exception being handled; a foreign `node` is named as its origin.
void fail_with_current_exception(const topology::Node& node, EventScheduler& scheduler);
// Ends the run with a model Error that names the foreign node, the time, the violation and the remedy.
void fail_for(const topology::Node& node, EventScheduler& scheduler, const std::string& what,
              const std::string& remedy);

// Calls code of the block at `node`. A crash report names the block, and an exception ends the run instead of passing
// through other blocks.
template <typename Call>
void call_block(const topology::Node& node, EventScheduler& scheduler, Call&& call) {
  const UserCodeScope scope(node, scheduler.now());
  try {
    call();
  } catch (...) {
    fail_with_current_exception(node, scheduler);
  }
}

}  // namespace kb::elab
