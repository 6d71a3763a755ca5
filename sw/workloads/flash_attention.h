#pragma once

#include "sw/workloads/workload.h"

namespace kb::sw {

Workload flash_attention_workload();

}  // namespace kb::sw
