// The memories of the machine, with the same names for tensors and message rings.
#pragma once

#include "platform/base/machine_choices.h"

namespace kb {

using MemoryKind = QueueMemory;  // tcm, sram, hbm; names_of<MemoryKind>() returns their names

}  // namespace kb
