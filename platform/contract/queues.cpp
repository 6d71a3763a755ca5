#include "platform/contract/queues.h"

namespace kb::contract {

std::string_view queue_memory_name(QueueMemory memory) {
  switch (memory) {
    case QueueMemory::tcm:
      return "tcm";
    case QueueMemory::sram:
      return "sram";
    case QueueMemory::hbm:
      return "hbm";
  }
  return "?";
}

}  // namespace kb::contract
