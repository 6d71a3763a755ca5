// Checks that a plug-in block obeys the protocol between the blocks of a PE (pe_protocol.h; T-28a).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "modules/pe/command_task.h"
#include "platform/elab/block.h"
#include "platform/elab/foreign_call.h"

namespace kb::modules {

// For every task, the block answers, passes on or sends only a task that it has received and not yet given away, and it
// sends its own task only while no other block has it. The first violation ends the run with an Error that names the
// block, and has no effect on other blocks. When a run deadlocks, the watch also checks that the block has given away
// every task.
class PeProtocolChecker {
 public:
  PeProtocolChecker(const elab::Block& block, elab::BlockContext& context);
  ~PeProtocolChecker();
  PeProtocolChecker(const PeProtocolChecker&) = delete;
  PeProtocolChecker& operator=(const PeProtocolChecker&) = delete;

  // A request has brought the task. `text` names the task.
  void received(const CommandTask& task, std::string text);
  // An answer has returned a task that the block had sent.
  void answered(const CommandTask& task);

  // The block is about to end a stage of the task, to answer it, to pass it on, or to send it and wait for the answer.
  // False when it must not; the run then ends.
  bool may_end(const CommandTask& task) { return has(task, "ends a stage of"); }
  bool may_answer(const CommandTask& task) { return gives_away(task, "answers"); }
  bool may_pass_on(const CommandTask& task) { return gives_away(task, "passes on"); }
  bool may_send(const CommandTask& task, std::string text);

  // Calls code of the block, or of the neighbour at `node`. A crash report names its owner, and an exception of the
  // block ends the run instead of passing through other blocks.
  template <typename Call>
  void call(Call&& call) const {
    elab::call_block(block_.node_record(), context_.scheduler, std::forward<Call>(call));
  }
  template <typename Call>
  void call_neighbour(NodeId node, Call&& call) const {
    if (context_.scheduler.failed()) return;
    elab::call_block(context_.graph.node(node), context_.scheduler, std::forward<Call>(call));
  }

 private:
  friend void throw_if_a_pe_block_stalls(elab::BlockContext& context);
  enum class Place : std::uint8_t { here, sent, gone };
  struct Entry {
    std::uint64_t id = 0;  // id of the task; task objects are reused
    std::string text;
    TimeFs since = 0_fs;
    Place place = Place::here;
    bool own = false;  // a task that the block itself started
  };

  // Null when the block has never had the task.
  Entry* find(const CommandTask& task);
  bool has(const CommandTask& task, const char* verb);
  bool gives_away(const CommandTask& task, const char* verb);
  void complain(const char* verb, const Entry* entry);
  // The task that the block has kept for the longest time; null while it waits for another block.
  const Entry* kept() const;

  const elab::Block& block_;
  elab::BlockContext& context_;
  std::unordered_map<const CommandTask*, Entry> entries_;  // iterated only by kept(), for a minimum
};

// For a run that is deadlocked: model Error when a plug-in block of a PE has neither passed on nor answered a command.
void throw_if_a_pe_block_stalls(elab::BlockContext& context);

}  // namespace kb::modules
