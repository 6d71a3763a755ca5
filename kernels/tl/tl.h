// Everything that a kernel needs: the interface, and the conversion of a function to a kernel.
#pragma once

#include "kernels/tl/context.h"
#include "kernels/tl/kernel.h"
#include "kernels/tl/scratch.h"
#include "platform/contract/tensor_layout.h"
