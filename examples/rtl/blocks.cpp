// The library that --plugin loads: PE_GEMM with the array of my_array.sv.
#include <kernbench/modules/rtl/rtl_gemm.h>
#include <kernbench/platform/elab/block_plugin.h>

#include "my_array.h"

KERNBENCH_BLOCKS(catalog) {
  catalog.add_block(kb::modules::rtl_gemm_block("custom.my_array", my_array()));
}
