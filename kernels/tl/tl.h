// All a kernel needs: one include for the facade and for making a kernel from a function.
#pragma once

#include "kernels/tl/context.h"
#include "kernels/tl/kernel.h"
#include "kernels/tl/scratch.h"
#include "platform/contract/tensor_layout.h"
