#include "modules/pe/command_task.h"

namespace kb::modules {

tlm::tlm_extension_base* CommandTask::clone() const {
  auto* copy = new CommandTask;
  copy->copy_from(*this);
  return copy;
}

void CommandTask::copy_from(const tlm::tlm_extension_base& other) {
  tlm::tlm_generic_payload* const own_payload = payload_;
  *this = static_cast<const CommandTask&>(other);
  payload_ = own_payload;
}

CommandPool::~CommandPool() {
  for (auto& payload : all_) payload->free_all_extensions();
}

CommandTask& CommandPool::acquire(const contract::Command& command) {
  CommandTask* task = nullptr;
  if (free_.empty()) {
    all_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
    task = new CommandTask;
    task->payload_ = all_.back().get();
    task->payload_->set_extension(task);
  } else {
    task = free_.back();
    free_.pop_back();
  }
  task->id = next_id_++;
  task->command = &command;
  task->state = CommandState::submitted;
  task->stage = Stage::execute;
  if (!task->status.ok) task->status = payload::Status{};
  task->submitted = task->start = task->end = 0;
  task->hops_ = 0;
  task->payload_->set_command(tlm::TLM_IGNORE_COMMAND);
  task->payload_->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  task->payload_->acquire();
  ++outstanding_;
  return *task;
}

void CommandPool::free(tlm::tlm_generic_payload* payload) {
  --outstanding_;
  free_.push_back(payload->get_extension<CommandTask>());
}

}  // namespace kb::modules
