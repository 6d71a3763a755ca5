#include "modules/pe/pe_ipcq.h"

namespace kb::modules {

void PeIpcq::on_task(CommandTask& task) {
  task.status = {false, "UNSUPPORTED",
                 node_id() + ": inter-PE queues are not part of this release; exchange data through HBM or cube SRAM"};
  answer(task);
}

}  // namespace kb::modules
