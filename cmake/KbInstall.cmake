# `cmake --install`: programs, configurations, headers, libraries and the package kernbench for find_package().
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(_headers "${CMAKE_INSTALL_INCLUDEDIR}/kernbench")
set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/kernbench")

install(TARGETS kernbench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS kernbench_http LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/kernbench)
# `./run` builds kernbench alone, which can be installed, too: a simulation is installed when it has been built.
foreach(simulation ${KB_SIMULATIONS})
  install(TARGETS ${simulation} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endforeach()
install(DIRECTORY "${CMAKE_SOURCE_DIR}/evaluations" DESTINATION ${CMAKE_INSTALL_DATADIR}/kernbench)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/configs" DESTINATION ${CMAKE_INSTALL_DATADIR}/kernbench)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/docs/schema" DESTINATION ${CMAKE_INSTALL_DATADIR}/kernbench)
foreach(folder platform modules kernels sw)
  install(DIRECTORY "${CMAKE_SOURCE_DIR}/${folder}" DESTINATION ${_headers} FILES_MATCHING PATTERN "*.h")
endforeach()

# The targets of the package. What a plug-in calls comes from the executable that loads it, so `plugin` has no libraries.
add_library(kb_plugin INTERFACE)
target_link_libraries(kb_plugin INTERFACE kb_flags)
foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS)
  set_property(TARGET kb_plugin PROPERTY INTERFACE_${property}
    $<TARGET_PROPERTY:PkgConfig::SYSTEMC,INTERFACE_${property}> $<TARGET_PROPERTY:fmt::fmt,INTERFACE_${property}>)
endforeach()
target_compile_definitions(kb_plugin INTERFACE SC_ALLOW_DEPRECATED_IEEE_API=0)
add_library(kb_sdk INTERFACE)
target_link_libraries(kb_sdk INTERFACE ${KB_PLUGIN_LIBRARIES} kb_modules kb_sw_plugin)
add_dependencies(kernbench kb_test_kit)  # no part of it, but installed with it
# The device in a program of your own: libraries of the simulator without its command line, and no allocator.
set(_device kb_sim_device kb_check kb_modules_bridge kb_sim_driver kb_sim_report kb_sim_setup kb_sim_host kb_sim_findings kb_waves ${KB_FST})
set_target_properties(kb_sim_device PROPERTIES EXPORT_NAME device)
add_dependencies(kernbench kb_sim_device)
foreach(name plugin sdk test_kit)
  set_target_properties(kb_${name} PROPERTIES EXPORT_NAME ${name})
endforeach()
install(FILES "${CMAKE_SOURCE_DIR}/sim/device/device.h" "${CMAKE_SOURCE_DIR}/sim/device/device_queue.h"
  DESTINATION ${_headers}/kernbench)
install(TARGETS kb_flags EXPORT kernbench INCLUDES DESTINATION ${_headers})
install(TARGETS kb_plugin kb_sdk ${KB_PLUGIN_LIBRARIES} kb_modules kb_observe kb_sw_plugin kb_systemc kb_test_kit ${_device}
  EXPORT kernbench ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/kernbench)
if(KB_RTL_BUILT)
  install(TARGETS kb_rtl_models EXPORT kernbench ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/kernbench)
endif()
install(EXPORT kernbench NAMESPACE kernbench:: FILE kernbenchTargets.cmake DESTINATION ${_package})

configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/kernbenchConfig.cmake.in"
  "${CMAKE_BINARY_DIR}/kernbenchConfig.cmake" INSTALL_DESTINATION ${_package} PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_DATADIR)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/kernbenchConfigVersion.cmake"
  VERSION ${PROJECT_VERSION} COMPATIBILITY ExactVersion)
install(FILES "${CMAKE_BINARY_DIR}/kernbenchConfig.cmake" "${CMAKE_BINARY_DIR}/kernbenchConfigVersion.cmake"
  DESTINATION ${_package})
