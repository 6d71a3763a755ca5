#include "platform/contract/i_pe.h"

#include "platform/contract/command.h"

namespace kb::contract {

std::string IPe::receive(const Command& command) {
  execute(command);
  return command.direction;
}

}  // namespace kb::contract
