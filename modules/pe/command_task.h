// A command on its way through the blocks of a PE.
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

// The block of a PE that serves stages of a type.
topology::NodeKind block_of(plan::StageType type);
// True for the stages of PE_GEMM and PE_MATH.
bool computes(plan::StageType type);
// The stage that executes a simple command; model Error when no engine does.
plan::StageType engine_stage(contract::CommandKind kind);

class AccelSlot;
struct PipelineContext;
class CommandTask;

// Observer of tiles under way.
class ITileOwner {
 public:
  // PE_DMA ends the transfer that is the tile's present stage. When this is true, it calls feed_more() once the tile
  // has gone on.
  virtual bool transferred(CommandTask& tile) = 0;
  virtual void feed_more() = 0;
  // PE_FETCH_STORE has the inputs of a tile in the register file.
  virtual void inputs_fetched(CommandTask& tile) = 0;

 protected:
  ~ITileOwner() = default;
};

// Which stages a task goes through, and where it is. Blocks know their stage, not what comes before or behind it
// (P-35).
class StageWalk {
 public:
  plan::Stage stage;  // present stage: the work for the block that has the task

  // A simple command goes through the stages from `first` to `last` of FETCH, its engine's, STORE; a new task through
  // its engine's alone.
  void begin(const contract::Command& command, plan::StageType first, plan::StageType last);
  // A tile goes through the stages of its plan.
  void begin(PipelineContext& pipeline, ITileOwner& owner, const plan::Tile& tile);
  PipelineContext* pipeline() const { return pipeline_; }  // null: not a tile
  const plan::Tile& tile() const { return tile_; }
  ITileOwner* owner() const { return owner_; }

 protected:
  // Makes the next stage the present one; false when there is none.
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

// How a task went, written by the blocks that serve it.
struct TaskReport {
  CommandState state = CommandState::submitted;  // written by PE_SCHEDULER (P-8) or PE_IPCQ
  payload::Status status;
  std::string_view served;         // direction that PE_IPCQ served a receive from; valid while it has queues
  AccelSlot* held_slot = nullptr;  // compute slot that this task holds (P-17), written by the engines

  TimeFs submitted = 0_fs;  // written by PE_CPU
  TimeFs start = 0_fs;      // begin and end of the engine's service (P-37, P-68), written by that engine
  TimeFs end = 0_fs;
  TimeFs dma = 0_fs;             // service time of PE_DMA; of a composite, the total of its tiles
  TimeFs compute = 0_fs;         // the same of PE_GEMM and PE_MATH
  std::int64_t macs = 0;         // MACs for which PE_GEMM was occupied, padding included (P-28)
  std::int64_t useful_macs = 0;  // MACs of elements that exist

  // Adds a stage that took `time` to these figures.
  void add_service(const plan::Stage& stage, TimeFs time);
};

// The way of a task through its PE, kept by PeLinks.
class TaskWay {
 public:
  topology::NodeKind sender{};  // the block that sent the task to where it is
  TimeFs held_since = 0_fs;     // since when it waits for room there

  // The blocks that wait for an answer, innermost last. False when there are too many.
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

// A simple command, a composite on its way to PE_SCHEDULER and back, a command of PE_IPCQ, or one tile of a composite
// (the TileToken of P-29).
class CommandTask final : public tlm::tlm_extension<CommandTask>, public StageWalk, public TaskReport {
 public:
  explicit CommandTask(tlm::tlm_generic_payload& payload) : payload_(&payload) {}

  std::uint64_t id = 0;                        // identity: a counter of its PE_CPU
  const contract::Command* command = nullptr;  // the requester's; unchanged until the task is back
  TaskWay way;

  // Makes the next stage the present one; false when there is none.
  bool advance() { return next(*command); }
  // Makes this a task for another command, with nothing done yet.
  void reset(std::uint64_t new_id, const contract::Command& new_command);

  tlm::tlm_generic_payload& payload() { return *payload_; }

  tlm::tlm_extension_base* clone() const override;
  void copy_from(const tlm::tlm_extension_base& other) override;

 private:
  tlm::tlm_generic_payload* payload_;
};

// Owns the payloads and tasks of one PE; tasks are used again, so that a command costs no allocation here.
class CommandPool final : public tlm::tlm_mm_interface {
 public:
  CommandPool() = default;
  ~CommandPool() override;
  CommandPool(const CommandPool&) = delete;
  CommandPool& operator=(const CommandPool&) = delete;

  // A fresh task with a reference held by the caller, who calls release() once the command has completed and keeps
  // `command` until then.
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
