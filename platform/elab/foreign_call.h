// Calls into the code of foreign blocks: those of plug-ins and of users' own programs, and those that simulate RTL.
// The built-in ones are trusted.
#pragma once

#include <utility>

#include "platform/elab/block.h"

namespace kb::elab {

// As long as it lives, the code of another block runs: of `node` when it is foreign, else the simulator's own.
class CodeScope {
 public:
  CodeScope(const topology::Node& node, TimeFs now);
  ~CodeScope();
  CodeScope(const CodeScope&) = delete;
  CodeScope& operator=(const CodeScope&) = delete;

 private:
  Foreground::View before_;
};

// Ends the run with the exception being handled, in which a foreign `node` is named as its origin.
void fail_with_current_exception(const topology::Node& node, EventScheduler& scheduler);
// Ends the run with a model Error that names a foreign node, the time, what it does wrong and what to do instead.
void fail_for(const topology::Node& node, EventScheduler& scheduler, const std::string& what,
              const std::string& remedy);

// Calls code of the block at `node`: a crash names it, and an exception ends the run instead of passing through the
// code of other blocks.
template <typename Call>
void call_block(const topology::Node& node, EventScheduler& scheduler, Call&& call) {
  const CodeScope scope(node, scheduler.now());
  try {
    call();
  } catch (...) {
    fail_with_current_exception(node, scheduler);
  }
}

}  // namespace kb::elab
