# Language level, warnings and the flags that keep results identical between builds.
set(CMAKE_CXX_STANDARD 17)  # Debian's SystemC is built as C++17; mixing levels breaks its ABI check
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # plug-ins link the kernel and host libraries

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

add_library(kb_flags INTERFACE)
target_compile_options(kb_flags INTERFACE
  "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor>"
  $<BUILD_INTERFACE:-fno-semantic-interposition>  # a function may be inlined although its code is position independent
  $<BUILD_INTERFACE:-ffp-contract=off>)  # no fused multiply-add: results keep their bits on every CPU
if(KB_WERROR)
  target_compile_options(kb_flags INTERFACE $<BUILD_INTERFACE:-Werror>)
endif()
target_compile_features(kb_flags INTERFACE cxx_std_17)
# Examples include <kernbench/...>, as from an installation.
set(_installed "${CMAKE_BINARY_DIR}/include/kernbench")
file(MAKE_DIRECTORY "${_installed}")
foreach(link platform modules kernels sw sim/ports/device/device.h sim/ports/device/device_queue.h sim/ports/device/width_adapter.h platform/base/version.h)
  cmake_path(GET link FILENAME name)
  file(CREATE_LINK "${CMAKE_SOURCE_DIR}/${link}" "${_installed}/${name}" SYMBOLIC)
endforeach()
target_include_directories(kb_flags INTERFACE "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR};${CMAKE_BINARY_DIR}/include>")

if(KB_SANITIZE)
  # -O1 and no checks for null and misaligned pointers, about a fifth of the compile time. A null pointer stops in ASan
  # anyway, and platform/data, which reads numbers out of bytes, switches the alignment check on again.
  add_compile_options(-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize=null,alignment
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)  # as gcc does: one library of the sanitizers, and a macro that says so
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
                    OUTPUT_VARIABLE _asan OUTPUT_STRIP_TRAILING_WHITESPACE)
    get_filename_component(_asan "${_asan}" DIRECTORY)
    add_link_options(-shared-libasan "LINKER:-rpath,${_asan}")
    add_compile_definitions(__SANITIZE_ADDRESS__)
  endif()
endif()
if(KB_SANITIZE_THREADS)
  add_compile_options(-O1 -g1 -fno-omit-frame-pointer -fsanitize=thread)
  add_link_options(-fsanitize=thread)
endif()
if(KB_COVERAGE)
  add_compile_options(--coverage -O0)
  add_link_options(--coverage)
endif()

# A sanitized program links in 1.3 instead of 5.7 s, and there are a hundred.
find_program(KB_LLD ld.lld)
mark_as_advanced(KB_LLD)
if(KB_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  add_link_options(-fuse-ld=lld)
endif()

find_program(KB_CCACHE ccache)
if(KB_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The two allow results to be kept of sources that use precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${KB_CCACHE}")
endif()
