# RTL inside the simulator: KB_RTL_BUILT is ON when the blocks rtl.* are built.
# kb_verilate(target SOURCES file.sv ... [PREFIX V...] [ARGS ...]) compiles a module into a static library, which it
# creates: class V<name of the first file>, or PREFIX.
set(KB_RTL AUTO CACHE STRING "Blocks whose RTL Verilator compiles: AUTO builds them when Verilator is there, ON requires it, OFF leaves them out")
set_property(CACHE KB_RTL PROPERTY STRINGS AUTO ON OFF)

# Verilator leaves a VERILATOR_ROOT behind, which may be used when the build is configured again.
if(POLICY CMP0144)
  cmake_policy(SET CMP0144 NEW)
endif()
set(KB_RTL_BUILT OFF)
if(KB_RTL STREQUAL "AUTO" OR KB_RTL)
  find_package(verilator QUIET HINTS $ENV{VERILATOR_ROOT})
  if(verilator_FOUND)
    kb_check_version(Verilator TRUE "${verilator_VERSION}")
    kb_require_versions()
    set(KB_RTL_BUILT ON)
  elseif(NOT KB_RTL STREQUAL "AUTO")
    message(FATAL_ERROR "Verilator was not found, and KB_RTL is ${KB_RTL}. Install it with: apt-get install verilator, "
                        "or give -DKB_RTL=OFF.")
  endif()
endif()

# Generated code has warnings and habits of its own: none of ours is asked of it.
function(kb_verilate target)
  cmake_parse_arguments(ARG "" "PREFIX" "SOURCES;ARGS" ${ARGN})
  if(NOT TARGET ${target})
    add_library(${target} STATIC)
    target_compile_options(${target} PRIVATE -w)
    if(KB_SANITIZE)
      target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
    endif()
  endif()
  list(GET ARG_SOURCES 0 first)
  cmake_path(GET first STEM name)
  if(NOT ARG_PREFIX)
    set(ARG_PREFIX V${name})
  endif()
  verilate(${target} SOURCES ${ARG_SOURCES} PREFIX ${ARG_PREFIX}
           VERILATOR_ARGS --no-timing -O3 --x-assign unique --x-initial unique ${ARG_ARGS})
  # For our sources these are headers of others, and no user of an installed kernbench needs them.
  get_target_property(folders ${target} INCLUDE_DIRECTORIES)
  list(REMOVE_DUPLICATES folders)
  set_target_properties(${target} PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "$<BUILD_INTERFACE:${folders}>"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "$<BUILD_INTERFACE:${folders}>")
endfunction()
