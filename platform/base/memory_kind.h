// The memories of the machine, by one name for tensors and message rings.
#pragma once

#include "platform/base/machine_choices.h"

namespace kb {

using MemoryKind = QueueMemory;  // tcm, sram, hbm; names_of<MemoryKind>() has their names

}  // namespace kb
