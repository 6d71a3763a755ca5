// The protocol between the blocks of a PE (pe_protocol.h), held against what a block from outside does (T-28a).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "modules/pe/command_task.h"
#include "platform/elab/block.h"
#include "platform/elab/foreign_call.h"

namespace kb::modules {

// Verified for every task: the block answers, passes on or sends on what it has got and has not given away before, and
// it sends a task of its own only while nobody else has it. The first mistake ends the run with an Error that names the
// block, and what it did wrong reaches nobody. In a run that cannot go on: that it has given away everything it got.
class TaskWatch {
 public:
  TaskWatch(const elab::Block& block, elab::BlockContext& context);
  ~TaskWatch();
  TaskWatch(const TaskWatch&) = delete;
  TaskWatch& operator=(const TaskWatch&) = delete;

  // A request brings the task. `text` names it.
  void received(const CommandTask& task, std::string text);
  // An answer to what the block has sent brings the task back.
  void answered(const CommandTask& task);

  // The block begins to end a stage of the task, answers it, passes it on, or sends it to a block whose answer it waits
  // for. False: it may not, and the run ends.
  bool may_end(const CommandTask& task) { return has(task, "ends a stage of"); }
  bool may_answer(const CommandTask& task) { return gives_away(task, "answers"); }
  bool may_pass_on(const CommandTask& task) { return gives_away(task, "passes on"); }
  bool may_send(const CommandTask& task, std::string text);

  // Calls the block's own code, or that of the neighbour at `node`: a crash names whose it is, and an exception of the
  // block ends the run instead of passing through the code of others.
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

  // Null for a task that the block has never had.
  Entry* find(const CommandTask& task);
  bool has(const CommandTask& task, const char* verb);
  bool gives_away(const CommandTask& task, const char* verb);
  void complain(const char* verb, const Entry* entry);
  // The task that the block has kept for longest; null while it waits for another block.
  const Entry* kept() const;

  const elab::Block& block_;
  elab::BlockContext& context_;
  std::unordered_map<const CommandTask*, Entry> entries_;  // iterated only by kept(), for a minimum
};

// In a run that cannot go on: a model Error when a foreign block of a PE has neither passed on nor answered a command.
void throw_if_a_pe_block_stalls(elab::BlockContext& context);

}  // namespace kb::modules
