# kb_library(name SOURCES ... DEPS ... [PRIVATE_DEPS ...] [ALONE ...|ALL]): one static library per folder, sources listed
# by name. With KB_UNITY eight sources are one compilation. Those of ALONE are compiled by themselves, because their
# unnamed namespaces have names that others use, too; they also stand in SOURCES.
function(kb_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRIVATE_DEPS;ALONE" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    if(KB_UNITY AND NOT ARG_ALONE STREQUAL "ALL")
      set_target_properties(${name} PROPERTIES UNITY_BUILD ON)
      set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    target_link_libraries(${name} PUBLIC kb_flags ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
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
  endif()
endfunction()

# Every test program and what they run; the sanitized build makes only these.
add_custom_target(kb_tests)

# kb_test(name SOURCES ... DEPS ... LABELS unit|block|machine|meta|slow [SYSTEMC]): gtest program; with SYSTEMC each
# test runs in a process of its own (SystemC elaborates once per process) and the program brings its own sc_main.
function(kb_test name)
  cmake_parse_arguments(ARG "SYSTEMC" "" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  if(ARG_SYSTEMC)
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/systemc_main.cpp)
    target_link_libraries(${name} PRIVATE kb_flags ${ARG_DEPS} kb_systemc GTest::gmock rapidcheck)
  else()
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/plain_main.cpp)
    target_link_libraries(${name} PRIVATE kb_flags ${ARG_DEPS} GTest::gmock rapidcheck)
  endif()
  # Assertions are most of what a test program compiles and rarely what takes time when it runs.
  target_compile_options(${name} PRIVATE $<IF:$<BOOL:${KB_SANITIZE}>,-O0,$<$<CONFIG:Release>:-O1>>)
  kb_sanitizer_defaults(${name})
  add_dependencies(kb_tests ${name})
  gtest_discover_tests(${name} PROPERTIES LABELS "${ARG_LABELS}" DISCOVERY_TIMEOUT 60)
endfunction()
