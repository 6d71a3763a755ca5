# Run at installation: -DSOURCE=<source folder> -DINCLUDE=<folder for headers> -P install_headers.cmake
# Writes the headers of the layers that plug-ins and embedding programs use to INCLUDE/kernbench. What they include of
# each other gets the prefix kernbench/, so that no folder `modules` or `platform` of a user's program stands in for ours.
set(layers platform modules kernels sw)
string(REPLACE ";" "|" any_layer "${layers}")
set(written)
foreach(layer ${layers})
  file(GLOB_RECURSE headers RELATIVE "${SOURCE}" "${SOURCE}/${layer}/*.h")
  foreach(header ${headers})
    list(APPEND written "${header}|${header}")
  endforeach()
endforeach()
list(APPEND written "sim/ports/device/device.h|device.h" "sim/ports/device/device_queue.h|device_queue.h"
     "sim/ports/device/width_adapter.h|width_adapter.h" "sim/ports/device/axi_words.h|axi_words.h" "sim/ports/device/axi_port.h|axi_port.h"
     "sim/ports/device/axi_lite_port.h|axi_lite_port.h" "sim/ports/device/axi_memory_port.h|axi_memory_port.h" "platform/base/version.h|version.h")
foreach(pair ${written})
  string(REPLACE "|" ";" pair "${pair}")
  list(GET pair 0 from)
  list(GET pair 1 to)
  file(READ "${SOURCE}/${from}" text)
  string(REGEX REPLACE "#include \"((${any_layer})/[^\"]+)\"" "#include \"kernbench/\\1\"" text "${text}")
  string(REPLACE "#include \"sim/ports/device/" "#include \"kernbench/" text "${text}")
  file(WRITE "${INCLUDE}/kernbench/${to}" "${text}")
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${INCLUDE}/kernbench/${to}")
endforeach()
