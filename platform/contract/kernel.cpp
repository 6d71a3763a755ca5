#include "platform/contract/kernel.h"

#include <utility>

namespace kb::contract {

void Kernel::run(IPe& pe, std::vector<NamedArg> args) const {
  body(pe, bind_arguments(name, parameters, std::move(args)));
}

}  // namespace kb::contract
