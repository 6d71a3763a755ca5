# `cmake --install`: programs, configurations, headers, libraries and the package kernbench for find_package().
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(_headers "${CMAKE_INSTALL_INCLUDEDIR}/kernbench")
set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/kernbench")

install(TARGETS kernbench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# `./run` builds kernbench alone, which can be installed, too: a simulation is installed when it has been built.
foreach(simulation ${KB_SIMULATIONS})
  install(TARGETS ${simulation} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endforeach()
install(DIRECTORY "${CMAKE_SOURCE_DIR}/configs" DESTINATION ${CMAKE_INSTALL_DATADIR}/kernbench)
foreach(folder platform modules kernels sw)
  install(DIRECTORY "${CMAKE_SOURCE_DIR}/${folder}" DESTINATION ${_headers} FILES_MATCHING PATTERN "*.h")
endforeach()
# What kernels and host programs are made of; enough to test them without a simulation, too.
install(TARGETS ${KB_PLUGIN_LIBRARIES} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/kernbench)
install(FILES "${CMAKE_SOURCE_DIR}/cmake/kernbenchConfig.cmake" DESTINATION ${_package})
write_basic_package_version_file("${CMAKE_BINARY_DIR}/kernbenchConfigVersion.cmake"
  VERSION ${PROJECT_VERSION} COMPATIBILITY ExactVersion)
install(FILES "${CMAKE_BINARY_DIR}/kernbenchConfigVersion.cmake" DESTINATION ${_package})
