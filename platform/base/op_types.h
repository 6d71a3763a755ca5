// For plug-ins of version 0.5: this header lies in platform/ops.
#pragma once

#include "platform/ops/op_types.h"
