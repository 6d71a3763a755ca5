set(KB_PRECOMPILED_FOR_CCACHE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
# Sanitized builds compile what does not simulate without optimisation, in half the time.
set(KB_UNOPTIMISED OFF)
if(KB_SANITIZE OR KB_SANITIZE_THREADS)
  set(KB_UNOPTIMISED ON)
endif()

# An object library with the headers of the standard library and of fmt that most sources include, compiled once for the
# libraries that use it. SYSTEMC adds SystemC's, for libraries that link it.
function(kb_common_headers name)
  cmake_parse_arguments(ARG "SYSTEMC;UNOPTIMISED" "" "" ${ARGN})
  add_library(${name} OBJECT "${CMAKE_SOURCE_DIR}/cmake/common_headers.cpp")
  target_link_libraries(${name} PRIVATE kb_flags fmt::fmt $<$<BOOL:${ARG_SYSTEMC}>:kb_systemc>)
  target_compile_options(${name} PRIVATE $<$<BOOL:${ARG_UNOPTIMISED}>:-O0> ${KB_PRECOMPILED_FOR_CCACHE})
  target_precompile_headers(${name} PRIVATE
    <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory> <optional> <set> <string>
    <string_view> <utility> <vector> <fmt/format.h> $<$<BOOL:${ARG_SYSTEMC}>:systemc>)
endfunction()

# Lets a library use common headers, with those of SystemC when it links SystemC at whatever distance (folders come in
# the order of their dependencies). Only with KB_UNITY: the other builds find what a source forgot to include.
function(kb_use_common_headers library unoptimised dependencies)
  set(headers kb_headers)
  set(options)
  get_property(with_systemc GLOBAL PROPERTY KB_LIBRARIES_WITH_SYSTEMC)
  foreach(dependency kb_systemc ${with_systemc})
    if(dependency IN_LIST dependencies)
      set_property(GLOBAL APPEND PROPERTY KB_LIBRARIES_WITH_SYSTEMC ${library})
      string(APPEND headers _systemc)
      list(APPEND options SYSTEMC)
      break()
    endif()
  endforeach()
  if(unoptimised)
    string(APPEND headers _unoptimised)
    list(APPEND options UNOPTIMISED)
  endif()
  if(NOT TARGET ${headers})
    kb_common_headers(${headers} ${options})
  endif()
  # gcc 12 takes precompiled headers for ours and reports what it reads into fmt's format strings.
  target_compile_options(${library} PRIVATE ${KB_PRECOMPILED_FOR_CCACHE} $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
  target_precompile_headers(${library} REUSE_FROM ${headers})
endfunction()

# Kernels know the lines of their calls (kernels/tl): reports name files relative to the source folder.
function(kb_name_sources target)
  target_compile_options(${target} PRIVATE "-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=")
endfunction()

# With KB_UNITY `batch` sources of a target are one compilation: it parses what they include once, and instantiates the
# templates that they share once. The other builds compile each source by itself.
function(kb_unity target batch)
  if(KB_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
endfunction()

# kb_library(name SOURCES ... DEPS ... [PRIVATE_DEPS ...] [ALONE ...|ALL]): one static library per folder, sources listed
# by name. With KB_UNITY 24 sources are one compilation. Those of ALONE are compiled by themselves, because their
# unnamed namespaces have names that others use, too; they also stand in SOURCES.
function(kb_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRIVATE_DEPS;ALONE" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    if(NOT ARG_ALONE STREQUAL "ALL")
      kb_unity(${name} 24)
      set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    target_link_libraries(${name} PUBLIC kb_flags ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${CMAKE_SOURCE_DIR}" OUTPUT_VARIABLE folder)
    set(unoptimised ${KB_UNOPTIMISED})
    if(folder MATCHES "^(platform|modules)")
      set(unoptimised OFF)
    endif()
    if(unoptimised)
      target_compile_options(${name} PRIVATE -O0)
    endif()
    if(folder MATCHES "^kernels" AND NOT folder STREQUAL "kernels/tl")
      kb_name_sources(${name})
    endif()
    if(KB_UNITY)
      kb_use_common_headers(${name} ${unoptimised} "${ARG_DEPS};${ARG_PRIVATE_DEPS}")
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE kb_flags ${ARG_DEPS})
  endif()
endfunction()

# Memory of an executable that simulates comes from jemalloc and lies on huge pages where the system has them.
function(kb_huge_pages target)
  if(JEMALLOC_FOUND)
    target_sources(${target} PRIVATE "${CMAKE_SOURCE_DIR}/cmake/huge_pages.cpp")
    target_link_libraries(${target} PRIVATE PkgConfig::JEMALLOC)
  endif()
endfunction()

# What an executable of a sanitized build needs: the defaults of the sanitizers, so that no caller has to set them.
function(kb_sanitizer_defaults target)
  if(KB_SANITIZE)
    target_sources(${target} PRIVATE "${CMAKE_SOURCE_DIR}/cmake/sanitizer_defaults.cpp")
  elseif(KB_SANITIZE_THREADS)
    target_sources(${target} PRIVATE "${CMAKE_SOURCE_DIR}/cmake/thread_sanitizer_defaults.cpp")
  endif()
endfunction()

# Every test program and what they run; the sanitized build makes only these.
add_custom_target(kb_tests)
# Those that ThreadSanitizer looks at: they have threads or fork, and simulate nothing, because it does not follow the
# stacks of SystemC's threads.
add_custom_target(kb_thread_tests)

# Assertions are most of what a test program compiles and rarely what takes time when it runs.
set(KB_TEST_OPTIONS $<IF:$<BOOL:${KB_UNOPTIMISED}>,-O0,$<$<CONFIG:Release>:-O1>> ${KB_PRECOMPILED_FOR_CCACHE})

# kb_test(name SOURCES ... DEPS ... LABELS unit|unit_threads|block|machine|meta|slow [COST seconds] [SYSTEMC]): gtest
# program. COST: of its tests, when they take long; the longest begin first. With SYSTEMC each test runs in a process of
# its own (SystemC elaborates once per process) and the program brings its own sc_main. With KB_UNITY twelve sources are
# one compilation. Where their unnamed namespaces have the same names, `|` between sources says which ones are: SOURCES
# a.cpp b.cpp | c.cpp d.cpp.
function(kb_test name)
  cmake_parse_arguments(ARG "SYSTEMC" "COST" "SOURCES;DEPS;LABELS" ${ARGN})
  set(groups "${ARG_SOURCES}")
  list(REMOVE_ITEM ARG_SOURCES "|")
  set(main kb_test_main)
  if(ARG_SYSTEMC)
    set(main kb_test_main_systemc)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${main} ${ARG_DEPS})
  target_compile_options(${name} PRIVATE ${KB_TEST_OPTIONS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)  # equal to that of the precompiled headers
  target_precompile_headers(${name} REUSE_FROM ${main})
  kb_unity(${name} 12)
  if("|" IN_LIST groups)
    set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
    set(group 0)
    foreach(source IN LISTS groups)
      if(source STREQUAL "|")
        math(EXPR group "${group} + 1")
      else()
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP "group_${group}")
      endif()
    endforeach()
  endif()
  add_dependencies(kb_tests ${name})
  if(ARG_LABELS STREQUAL "unit_threads")
    add_dependencies(kb_thread_tests ${name})
  endif()
  set(cost)
  if(ARG_COST)
    set(cost COST ${ARG_COST})
  endif()
  gtest_discover_tests(${name} PROPERTIES LABELS "${ARG_LABELS}" ${cost} DISCOVERY_TIMEOUT 60)
endfunction()

# kb_test_plugin(name SOURCES...): a plug-in that tests give to the programs.
function(kb_test_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE kb_flags fmt::fmt)
  if(KB_UNITY)
    kb_use_common_headers(${name} OFF "")
  endif()
endfunction()
