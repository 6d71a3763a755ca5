// A command that passes through the blocks of a PE.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <tlm>
#include <vector>

#include "platform/base/units.h"
#include "platform/contract/command.h"
#include "platform/payload/transaction.h"
#include "platform/plan/pipeline_plan.h"
#include "platform/topology/graph.h"

namespace kb::modules {

enum class CommandState : std::uint8_t { submitted, in_flight, completed };

// The PE block that serves a stage.
topology::NodeKind block_of(const plan::Stage& stage);
// True for the stages of engines.
inline bool computes(const plan::Stage& stage) {
  return plan::engine_of(stage.type).has_value();
}
// Stage that executes a simple command; model Error when no engine executes it.
plan::StageType engine_stage(const contract::Command& command);

class AccelSlot;
struct PipelineContext;
class CommandTask;

// Observer of tiles in flight.
class ITileOwner {
 public:
  // PE_DMA finishes the transfer stage of the tile. Returns true when PE_DMA must call feed_more() after the tile has
  // gone to its next stage.
  virtual bool transferred(CommandTask& tile) = 0;
  virtual void feed_more() = 0;
  // PE_FETCH_STORE has loaded the inputs of a tile into the register file.
  virtual void inputs_fetched(CommandTask& tile) = 0;

 protected:
  ~ITileOwner() = default;
};

// The stages of a task and its current position. A block knows only its own stage, not the stages before and after it
// (P-35).
class StageCursor {
 public:
  plan::Stage stage;  // current stage: the work of the block that has the task

  // A simple command goes through a part of the stages FETCH, engine, STORE: from `first` to `last`. A new task has
  // only the stage of its engine.
  void begin(const contract::Command& command, plan::StageType first, plan::StageType last);
  // A tile goes through the stages of its plan.
  void begin(PipelineContext& pipeline, ITileOwner& owner, const plan::Tile& tile);
  PipelineContext* pipeline() const { return pipeline_; }  // null when the task is not a tile
  const plan::Tile& tile() const { return tile_; }
  ITileOwner* owner() const { return owner_; }

 protected:
  // Advances to the next stage; false when there is none.
  bool next(const contract::Command& command);
  void forget_pipeline() {
    pipeline_ = nullptr;
    owner_ = nullptr;
  }

 private:
  void enter(const contract::Command& command, plan::StageType type);

  PipelineContext* pipeline_ = nullptr;
  ITileOwner* owner_ = nullptr;
  plan::Tile tile_;
  std::uint32_t stage_index_ = 0;
  plan::StageType last_stage_ = plan::StageType::dma_read;
};

// Results of a task, written by the blocks that serve it.
struct TaskReport {
  CommandState state = CommandState::submitted;  // written by PE_SCHEDULER (P-8) or PE_IPCQ
  payload::Status status;
  std::string_view served;         // direction from which PE_IPCQ served a receive; valid while its queues exist
  account::PlaceId held_by;        // place of the message that a receive took, written by PE_IPCQ
  AccelSlot* held_slot = nullptr;  // compute slot that this task holds (P-17), written by the engines

  TimeFs submitted = 0_fs;  // written by PE_CPU
  TimeFs start = 0_fs;      // start and end of service (P-37, P-68), written by the engine
  TimeFs end = 0_fs;
  TimeFs dma = 0_fs;             // service time of PE_DMA; sum over the tiles of a composite
  TimeFs compute = 0_fs;         // the same for all engines
  std::int64_t macs = 0;         // MACs that occupied PE_GEMM, padding included (P-28)
  std::int64_t useful_macs = 0;  // MACs without padding

  // Adds a stage that took `time` to the times and MACs above.
  void add_service(const plan::Stage& stage, TimeFs time);
};

// Return path of a task through its PE, maintained by PeLinks.
class ReturnPath {
 public:
  topology::NodeKind sender{};  // the block that sent the task to the current block
  TimeFs held_since = 0_fs;     // when the task began to wait for room in the current block's queue

  // Pushes a block that waits for the answer; the innermost is on top. False when the stack is full.
  bool push(topology::NodeKind block) {
    if (hops_ == waiting_.size()) return false;
    waiting_[hops_++] = block;
    return true;
  }
  topology::NodeKind pop() { return waiting_[--hops_]; }
  bool empty() const { return hops_ == 0; }
  void clear() { hops_ = 0; }

 private:
  std::array<topology::NodeKind, 8> waiting_{};
  std::uint8_t hops_ = 0;
};

// The payload extension for a simple command, a composite between PE_CPU and PE_SCHEDULER, a command of PE_IPCQ, or one
// tile of a composite (the TileToken of P-29).
class CommandTask final : public tlm::tlm_extension<CommandTask>, public StageCursor, public TaskReport {
 public:
  explicit CommandTask(tlm::tlm_generic_payload& payload) : payload_(&payload) {}

  std::uint64_t id = 0;                        // unique number from a counter of the PE_CPU
  const contract::Command* command = nullptr;  // owned by the requester; unchanged until the task returns
  ReturnPath return_path;

  // Place of the current stage: the command's line, with the tensor that a tile transfers.
  account::PlaceId place() const;
  // Advances to the next stage; false when there is none.
  bool advance() { return next(*command); }
  // Reinitialises the task for another command.
  void reset(std::uint64_t new_id, const contract::Command& new_command);

  tlm::tlm_generic_payload& payload() { return *payload_; }

  tlm::tlm_extension_base* clone() const override;
  void copy_from(const tlm::tlm_extension_base& other) override;

 private:
  tlm::tlm_generic_payload* payload_;
};

// Owns the payloads and tasks of one PE; it reuses tasks, so that a command needs no allocation.
class CommandPool final : public tlm::tlm_mm_interface {
 public:
  CommandPool() = default;
  ~CommandPool() override;
  CommandPool(const CommandPool&) = delete;
  CommandPool& operator=(const CommandPool&) = delete;

  // Returns a new task with one reference held by the caller. The caller keeps `command` alive until the task has
  // completed, and then calls release().
  CommandTask& acquire(const contract::Command& command);
  CommandTask& acquire(contract::Command&& command) = delete;
  CommandTask& acquire_tile(PipelineContext& pipeline, ITileOwner& owner, const plan::Tile& tile);
  void release(CommandTask& task) { task.payload().release(); }

  std::uint64_t issued() const { return next_id_; }
  std::uint64_t outstanding() const { return outstanding_; }

  void free(tlm::tlm_generic_payload* payload) override;

 private:
  CommandTask& take(const contract::Command& command);

  std::uint64_t next_id_ = 0;
  std::uint64_t outstanding_ = 0;
  std::vector<CommandTask*> free_;
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
};

}  // namespace kb::modules
