#pragma once

#include <kernbench/platform/contract/i_pe.h>

kb::contract::Kernel scale_add_kernel();
