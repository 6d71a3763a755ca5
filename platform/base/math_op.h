// Forwarding header for plug-ins of version 0.5; the header has moved to platform/ops.
#pragma once

#include "platform/ops/math_op.h"
