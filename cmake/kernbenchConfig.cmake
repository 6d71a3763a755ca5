# find_package(kernbench REQUIRED) gives
#   kernbench::plugin   headers and flags for a shared library that `kernbench --plugin` loads; its symbols come from
#                       the executable that loads it
#   kernbench::sdk      the same with the libraries, for programs of your own such as unit tests of kernels
#   kernbench_add_plugin(name sources...)
get_filename_component(_kernbench_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT EXISTS "${_kernbench_prefix}/include/kernbench")  # lib/<architecture>/cmake/kernbench
  get_filename_component(_kernbench_prefix "${_kernbench_prefix}/.." ABSOLUTE)
endif()

include(CMakeFindDependencyMacro)
find_dependency(fmt)

add_library(kernbench::plugin INTERFACE IMPORTED)
set_target_properties(kernbench::plugin PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${_kernbench_prefix}/include/kernbench"
  INTERFACE_COMPILE_OPTIONS "-ffp-contract=off"
  INTERFACE_COMPILE_DEFINITIONS "SC_ALLOW_DEPRECATED_IEEE_API=0"
  INTERFACE_COMPILE_FEATURES cxx_std_17)

get_filename_component(_kernbench_archives "${CMAKE_CURRENT_LIST_DIR}/../../kernbench" ABSOLUTE)
file(GLOB _kernbench_libraries "${_kernbench_archives}/libkb_*.a")
add_library(kernbench::sdk INTERFACE IMPORTED)
set_target_properties(kernbench::sdk PROPERTIES
  INTERFACE_LINK_LIBRARIES
    "kernbench::plugin;-Wl,--start-group;${_kernbench_libraries};-Wl,--end-group;fmt::fmt")

find_program(KERNBENCH_EXECUTABLE kernbench HINTS "${_kernbench_prefix}/bin" NO_DEFAULT_PATH)

function(kernbench_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE kernbench::plugin)
endfunction()
