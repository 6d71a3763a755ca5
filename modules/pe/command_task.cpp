#include "modules/pe/command_task.h"

#include <algorithm>

#include "modules/pe/pipeline_context.h"
#include "platform/base/error.h"

namespace kb::modules {

using contract::CommandKind;
using plan::StageType;
using topology::NodeKind;

namespace {

// The work of a stage of an engine. Commands with functions tell it when they are carried out.
void set_work(const contract::Command& command, plan::Stage& stage) {
  switch (contract::form_of(command)) {
    case engine::CommandForm::product:
      stage.m = command.m;
      stage.k = command.k;
      stage.n = command.n;
      stage.macs = stage.useful_macs();
      break;
    case engine::CommandForm::math_op:
      stage.elements = math_elements(command.math_op, command.inputs, command.out.shape);
      break;
    case engine::CommandForm::function:
      break;
  }
}

}  // namespace

NodeKind block_of(const plan::Stage& stage) {
  if (const auto engine = plan::engine_of(stage.type)) return topology::engine_kind(*engine);
  const bool moves_tiles = stage.type == StageType::fetch || stage.type == StageType::store;
  return moves_tiles ? NodeKind::pe_fetch_store : NodeKind::pe_dma;
}

void TaskReport::add_service(const plan::Stage& stage, TimeFs time) {
  if (block_of(stage) == NodeKind::pe_dma) accumulate(dma, time);
  if (computes(stage)) accumulate(compute, time);
  if (stage.macs == 0) return;
  accumulate(macs, stage.macs);
  accumulate(useful_macs, stage.useful_macs());
}

StageType engine_stage(const contract::Command& command) {
  if (command.kind == CommandKind::dma_read) return StageType::dma_read;
  if (command.kind == CommandKind::dma_write) return StageType::dma_write;
  if (const auto engine = contract::engine_of(command)) return plan::stage_type_of(*engine);
  throw Error::model("a PE has no engine for a " + std::string(contract::command_kind_name(command.kind)));
}

void StageCursor::begin(const contract::Command& command, StageType first, StageType last) {
  last_stage_ = last;
  enter(command, first);
}

void StageCursor::begin(PipelineContext& pipeline, ITileOwner& owner, const plan::Tile& tile) {
  pipeline_ = &pipeline;
  owner_ = &owner;
  tile_ = tile;
  stage_index_ = 0;
  stage = pipeline.plan.stage(tile_, 0);
}

bool StageCursor::next(const contract::Command& command) {
  if (pipeline_ != nullptr) {
    if (++stage_index_ == pipeline_->plan.stage_count(tile_)) return false;
    stage = pipeline_->plan.stage(tile_, stage_index_);
    return true;
  }
  if (stage.type == last_stage_) return false;
  enter(command, stage.type == StageType::fetch ? engine_stage(command) : StageType::store);
  return true;
}

void StageCursor::enter(const contract::Command& command, StageType type) {
  stage = plan::Stage{};
  stage.type = type;
  if (computes(stage)) return set_work(command, stage);
  switch (type) {
    case StageType::dma_read:
    case StageType::dma_write:
      stage.nbytes = total_bytes(command.memory);
      break;
    case StageType::fetch:
      for (const OperandRef& input : command.inputs) stage.nbytes += total_bytes(input.extents);
      if (command.accumulate) stage.nbytes += total_bytes(command.out.extents);
      break;
    case StageType::store:
      stage.nbytes = total_bytes(command.out.extents);
      if (command.positions) stage.nbytes += total_bytes(command.positions->extents);
      break;
  }
}

tlm::tlm_extension_base* CommandTask::clone() const {
  auto* copy = new CommandTask(*payload_);
  copy->copy_from(*this);
  return copy;
}

void CommandTask::copy_from(const tlm::tlm_extension_base& other) {
  tlm::tlm_generic_payload* const own_payload = payload_;
  *this = static_cast<const CommandTask&>(other);
  payload_ = own_payload;
}

void CommandTask::reset(std::uint64_t new_id, const contract::Command& new_command) {
  id = new_id;
  command = &new_command;
  forget_pipeline();
  return_path.clear();
  state = CommandState::submitted;
  if (!status.ok) status = payload::Status{};
  served = {};
  held_by = {};
  held_slot = nullptr;
  submitted = start = end = dma = compute = 0_fs;
  macs = useful_macs = 0;
}

account::PlaceId CommandTask::place() const {
  if (pipeline() == nullptr) return command->place;
  if (stage.type != plan::StageType::dma_read && stage.type != plan::StageType::dma_write) return command->place;
  if (stage.operand != plan::TileOperand::epilogue) {
    return command->operand_places[static_cast<std::size_t>(stage.operand)];
  }
  const std::vector<std::array<account::PlaceId, kEpilogueInputs>>& places = command->epilogue_places;
  return stage.epilogue < places.size() ? places[stage.epilogue][stage.input] : command->place;
}

CommandPool::~CommandPool() {
  for (auto& payload : all_) payload->free_all_extensions();
}

CommandTask& CommandPool::acquire(const contract::Command& command) {
  CommandTask& task = take(command);
  if (!contract::is_composite(command.kind) && !contract::is_queue(command.kind)) {
    const StageType engine = engine_stage(command);
    task.begin(command, engine, engine);
  }
  return task;
}

CommandTask& CommandPool::acquire_tile(PipelineContext& pipeline, ITileOwner& owner, const plan::Tile& tile) {
  CommandTask& task = take(*pipeline.command->command);
  task.begin(pipeline, owner, tile);
  return task;
}

// Takes a task without stages from the pool.
CommandTask& CommandPool::take(const contract::Command& command) {
  CommandTask* task = nullptr;
  if (free_.empty()) {
    all_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
    task = new CommandTask(*all_.back());
    all_.back()->set_extension(task);
  } else {
    task = free_.back();
    free_.pop_back();
  }
  task->reset(next_id_++, command);
  task->payload().set_command(tlm::TLM_IGNORE_COMMAND);
  task->payload().set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  task->payload().acquire();
  ++outstanding_;
  return *task;
}

void CommandPool::free(tlm::tlm_generic_payload* payload) {
  --outstanding_;
  free_.push_back(payload->get_extension<CommandTask>());
}

}  // namespace kb::modules
