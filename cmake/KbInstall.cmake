# `cmake --install`: programs, configurations, headers, libraries and the package kernbench for find_package().
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/kernbench")

install(TARGETS kernbench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS kernbench_http LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/kernbench)
# `./run` builds kernbench alone, which can be installed, too: a simulation is installed when it has been built.
foreach(simulation ${KB_SIMULATIONS})
  install(TARGETS ${simulation} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endforeach()
install(DIRECTORY "${CMAKE_SOURCE_DIR}/evaluations" DESTINATION ${CMAKE_INSTALL_DATADIR}/kernbench)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/configs" DESTINATION ${CMAKE_INSTALL_DATADIR}/kernbench)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/models" DESTINATION ${CMAKE_INSTALL_DATADIR}/kernbench)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/docs/schema" DESTINATION ${CMAKE_INSTALL_DATADIR}/kernbench)
install(CODE "
  set(SOURCE \"${CMAKE_SOURCE_DIR}\")
  set(INCLUDE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
  include(\"${CMAKE_SOURCE_DIR}/cmake/install_headers.cmake\")")

# The targets of the package. What a plug-in calls comes from the executable that loads it, so `plugin` has no libraries.
add_library(kb_plugin INTERFACE)
target_link_libraries(kb_plugin INTERFACE kb_flags)
foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS)
  set_property(TARGET kb_plugin PROPERTY INTERFACE_${property}
    $<TARGET_PROPERTY:PkgConfig::SYSTEMC,INTERFACE_${property}> $<TARGET_PROPERTY:fmt::fmt,INTERFACE_${property}>)
endforeach()
target_compile_options(kb_plugin INTERFACE -ffp-contract=off)  # kernels and blocks compute as ours do
add_library(kb_sdk INTERFACE)
target_link_libraries(kb_sdk INTERFACE ${KB_PLUGIN_LIBRARIES} kb_modules kb_sw_plugin)
add_dependencies(kernbench kb_test_kit)  # no part of it, but installed with it
# The device in a program of your own: the simulator without its command line, and no allocator. One shared library; or
# archives, where the device gets kernels and blocks of the program.
include(KbDeviceLibrary)
set(_device kb_sim_device kb_check kb_modules_bridge kb_sim_driver kb_sim_report kb_sim_setup kb_sim_host kb_sim_energy kb_sim_findings kb_sim_result kb_views kb_waves)
add_library(kb_device_static INTERFACE)
target_link_libraries(kb_device_static INTERFACE kb_sim_device kb_sdk)
set_property(TARGET kb_sdk PROPERTY INTERFACE_KERNBENCH_LIBRARIES static)
set_property(TARGET kb_sdk APPEND PROPERTY COMPATIBLE_INTERFACE_STRING KERNBENCH_LIBRARIES)
add_dependencies(kernbench kernbench_device)
foreach(name plugin sdk test_kit device_static)
  set_target_properties(kb_${name} PROPERTIES EXPORT_NAME ${name})
endforeach()
install(TARGETS kb_flags EXPORT kernbench INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS kernbench_device EXPORT kernbench_device LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS kb_plugin kb_sdk kb_device_static ${KB_PLUGIN_LIBRARIES} kb_modules kb_observe kb_sw_plugin kb_systemc kb_test_kit ${_device}
  EXPORT kernbench ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/kernbench)
if(KB_RTL_BUILT)
  install(TARGETS kb_rtl_models EXPORT kernbench ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/kernbench)
endif()
install(EXPORT kernbench_device NAMESPACE kernbench:: FILE kernbenchDeviceTargets.cmake DESTINATION ${_package})
install(EXPORT kernbench NAMESPACE kernbench:: FILE kernbenchTargets.cmake DESTINATION ${_package})

string(REGEX MATCH "^[0-9]+\\.[0-9]+\\.[0-9]+" KB_SYSTEMC_RELEASE "${SYSTEMC_VERSION}")
configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/kernbenchConfig.cmake.in"
  "${CMAKE_BINARY_DIR}/kernbenchConfig.cmake" INSTALL_DESTINATION ${_package} PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_DATADIR)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/kernbenchConfigVersion.cmake"
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
# The Python package, where Python is there to pack it: pip install <prefix>/share/kernbench/python/kernbench-*.whl
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND)
  install(CODE "
    execute_process(COMMAND \"${Python3_EXECUTABLE}\" \"${CMAKE_SOURCE_DIR}/cmake/wheel.py\" \"${CMAKE_SOURCE_DIR}\"
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/kernbench/python\" COMMAND_ERROR_IS_FATAL ANY)")
endif()
# For programs that are not built by CMake.
file(RELATIVE_PATH KB_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${CMAKE_SOURCE_DIR}/cmake/kernbench-device.pc.in" "${CMAKE_BINARY_DIR}/kernbench-device.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/kernbench-device.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES "${CMAKE_BINARY_DIR}/kernbenchConfig.cmake" "${CMAKE_BINARY_DIR}/kernbenchConfigVersion.cmake"
  DESTINATION ${_package})
