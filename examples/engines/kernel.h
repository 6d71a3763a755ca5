#pragma once

#include <kernbench/platform/contract/kernel.h>

kb::contract::Kernel transpose_kernel();
