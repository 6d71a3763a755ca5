# libkernbench_device.so: the machine as one shared library that shows nothing but its own interface (exports.map), so
# that it lives in one program with whatever else that is made of. It is made of the archives of the static package.
add_library(kernbench_device SHARED "${CMAKE_SOURCE_DIR}/sim/ports/device/library.cpp")
target_link_libraries(kernbench_device PRIVATE kb_sim_device PUBLIC PkgConfig::SYSTEMC)
set(_exports "${CMAKE_SOURCE_DIR}/sim/ports/device/exports.map")
target_link_options(kernbench_device PRIVATE "LINKER:--version-script,${_exports}" "LINKER:-z,defs" "LINKER:--gc-sections")
set_target_properties(kernbench_device PROPERTIES
  LINK_DEPENDS "${_exports}"
  LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,kb_sim_device,kb_sw_runtime,kb_sw_tensor,kb_base,kb_ops"
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib" EXPORT_NAME device)
target_include_directories(kernbench_device INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(kernbench_device INTERFACE cxx_std_17)
# A program has the machine once: CMake refuses to link this together with the archives.
set_property(TARGET kernbench_device PROPERTY INTERFACE_KERNBENCH_LIBRARIES shared)
set_property(TARGET kernbench_device APPEND PROPERTY COMPATIBLE_INTERFACE_STRING KERNBENCH_LIBRARIES)
