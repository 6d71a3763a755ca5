# Everything comes from Debian packages (the list: cmake/packages.txt).
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC QUIET IMPORTED_TARGET systemc)
if(NOT SYSTEMC_FOUND)
  message(FATAL_ERROR "SystemC was not found by pkg-config. Install it with: apt-get install libsystemc-dev")
endif()
if(SYSTEMC_VERSION VERSION_LESS 2.3.4)
  message(FATAL_ERROR "SystemC ${SYSTEMC_VERSION} is too old: kernbench needs 2.3.4 or newer, built as C++17.")
endif()

# Debian's library is C++17; a library of another language level fails at start-up, so try it here.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES PkgConfig::SYSTEMC)
set(CMAKE_REQUIRED_FLAGS "-std=c++17")
check_cxx_source_compiles("#include <systemc>
int sc_main(int, char**) { return sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME ? 0 : 1; }" KB_SYSTEMC_IS_CXX17)
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT KB_SYSTEMC_IS_CXX17)
  message(FATAL_ERROR "The installed SystemC library does not link with C++17 code. kernbench is built as C++17; "
                      "use a SystemC that was built with CMAKE_CXX_STANDARD=17 (Debian's libsystemc-dev is).")
endif()
add_library(kb_systemc INTERFACE)
target_link_libraries(kb_systemc INTERFACE PkgConfig::SYSTEMC)
target_compile_definitions(kb_systemc INTERFACE SC_ALLOW_DEPRECATED_IEEE_API=0)

# For speed alone (kb_huge_pages); never with sanitizers, which bring their own allocator.
if(NOT KB_SANITIZE)
  pkg_check_modules(JEMALLOC QUIET IMPORTED_TARGET jemalloc)
endif()

find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
# Messages about a data file name the place in it. For all that use the library, because it changes its types.
set_property(TARGET nlohmann_json::nlohmann_json APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS JSON_DIAGNOSTICS=1)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(SQLite3 3.35 REQUIRED)
find_package(Threads REQUIRED)
if(KB_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  include(GoogleTest)
endif()
if(KB_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
