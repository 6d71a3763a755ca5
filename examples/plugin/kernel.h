#pragma once

#include <kernbench/platform/contract/kernel.h>

kb::contract::Kernel scale_add_kernel();
