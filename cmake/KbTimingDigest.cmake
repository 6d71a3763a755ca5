# The digest of what decides the time of a launch. Stores of launches (M-96) use a time only where the digest is the one
# with which it was simulated.
#
# Its sources are those of every library that the simulation of a launch links, found in the link graph after all targets
# exist: the sources that a target names, and all headers and RTL of their folders.

# What simulates a launch: the step with its keys, cells of steps, and everything that a catalog may hand to it.
set(KB_TIMING_ROOTS kb_sim_step kb_sim_cells kb_kernels kb_modules kb_modules_bridge kb_modules_rtl kb_sw_distributed kb_sw_plugin)
# Libraries that are linked as well and only write, draw or judge what has been simulated, or hold what no step runs.
set(KB_TIMING_LEFT_OUT kb_sim_files kb_sim_findings kb_sim_report kb_sw_parallel kb_sw_workloads kb_views kb_waves)

# Sets `result` to the libraries of this project that `roots` link at whatever distance, without those left out.
function(kb_linked_libraries roots left_out result)
  set(open ${roots})
  set(found)
  while(open)
    list(POP_FRONT open library)
    if(NOT TARGET ${library} OR NOT library MATCHES "^kb_" OR library IN_LIST found OR library IN_LIST left_out)
      continue()
    endif()
    list(APPEND found ${library})
    get_target_property(type ${library} TYPE)
    foreach(property INTERFACE_LINK_LIBRARIES LINK_LIBRARIES)
      if(type STREQUAL "INTERFACE_LIBRARY" AND property STREQUAL "LINK_LIBRARIES")
        continue()
      endif()
      get_target_property(linked ${library} ${property})
      if(NOT linked)
        continue()
      endif()
      foreach(name ${linked})
        string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" name "${name}")
        list(APPEND open ${name})
      endforeach()
    endforeach()
  endwhile()
  list(SORT found)
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# Sets `result` to the files of a library, relative to the root, without those that the build makes.
function(kb_library_files library result)
  get_target_property(folder ${library} SOURCE_DIR)
  get_target_property(sources ${library} SOURCES)
  if(NOT sources)  # headers only
    set(sources)
  endif()
  set(folders "${folder}")
  set(files)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${folder}" NORMALIZE)
    cmake_path(IS_PREFIX CMAKE_BINARY_DIR "${source}" built)
    cmake_path(IS_PREFIX CMAKE_SOURCE_DIR "${source}" own)
    if(own AND NOT built)
      list(APPEND files "${source}")
      cmake_path(GET source PARENT_PATH parent)
      list(APPEND folders "${parent}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(one ${folders})
    file(GLOB headers CONFIGURE_DEPENDS "${one}/*.h" "${one}/sv/*.sv")
    foreach(header ${headers})
      # Beside a source of another library of the folder it is a header of that one.
      string(REGEX REPLACE "\\.h$" ".cpp" source "${header}")
      if(source STREQUAL header OR source IN_LIST files OR NOT EXISTS "${source}")
        list(APPEND files "${header}")
      endif()
    endforeach()
  endforeach()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# Creates the library kb_timing_digest, the only object that depends on all these sources, and timing_sources.txt, their
# list. Called when all targets exist.
function(kb_make_timing_digest)
  kb_linked_libraries("${KB_TIMING_ROOTS}" "${KB_TIMING_LEFT_OUT}" libraries)
  set(files)
  foreach(library ${libraries})
    kb_library_files(${library} own)
    list(APPEND files ${own})
  endforeach()
  list(REMOVE_DUPLICATES files)
  list(SORT files)
  set(names)
  foreach(file ${files})
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${CMAKE_SOURCE_DIR}")
    list(APPEND names "${file}")
  endforeach()
  list(JOIN names "\n" text)
  set(list "${CMAKE_BINARY_DIR}/timing_sources.txt")
  file(CONFIGURE OUTPUT "${list}" CONTENT "${text}\n" @ONLY)
  set(script "${CMAKE_SOURCE_DIR}/cmake/timing_digest.cmake")
  set(output "${CMAKE_BINARY_DIR}/timing_digest.cpp")
  add_custom_command(OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DLIST=${list}" "-DROOT=${CMAKE_SOURCE_DIR}" "-DOUTPUT=${output}"
            "-DOUTSIDE=SystemC ${SYSTEMC_VERSION} Verilator ${verilator_VERSION}" -P "${script}"
    DEPENDS "${script}" "${list}" ${files} VERBATIM)
  add_library(kb_timing_digest STATIC "${output}")
  target_link_libraries(kb_timing_digest PRIVATE kb_flags)
endfunction()
