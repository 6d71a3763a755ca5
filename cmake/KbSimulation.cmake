# kb_add_simulation(NAME <name> TOPOLOGY <file.yaml> [WORKLOAD <workload>])
# makes the executable sim_<name> with the configuration compiled in; it takes the options of `kernbench run`. The list
# KB_SIMULATIONS has them all.
# kb_builtin_topology() embeds the file; kb_runs_plugins() lets an executable load shared libraries (--plugin).

set(KB_SIMULATION_DIR "${CMAKE_CURRENT_LIST_DIR}")

# Adds a generated source to `target` that defines builtin_topology() from a YAML file. A change of the file rebuilds it.
function(kb_builtin_topology target file)
  get_filename_component(path "${file}" ABSOLUTE)
  if(NOT EXISTS "${path}")
    message(FATAL_ERROR "The topology file ${path} does not exist.")
  endif()
  file(RELATIVE_PATH name "${CMAKE_SOURCE_DIR}" "${path}")
  if(name MATCHES "^\\.\\.")
    set(name "${path}")
  endif()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}_topology.cpp")
  add_custom_command(OUTPUT "${source}"
    COMMAND ${CMAKE_COMMAND} -DINPUT=${path} -DNAME=${name} -DOUTPUT=${source} -DFOLDER=sim/cli -DNAMESPACE=kb::cli
            -P "${KB_SIMULATION_DIR}/embed_topology.cmake"
    DEPENDS "${path}" "${KB_SIMULATION_DIR}/embed_topology.cmake"
    COMMENT "Building ${name} into ${target}" VERBATIM)
  target_sources(${target} PRIVATE "${source}")
endfunction()

# What plug-ins may call; the executable has to contain all of it, used or not.
set(KB_PLUGIN_LIBRARIES kb_base kb_account kb_energy kb_ops kb_engine kb_dram kb_params kb_topology kb_routing kb_payload kb_plan kb_record kb_resource kb_elab kb_modules_fabric kb_modules_command kb_modules_io
    kb_modules_dram kb_modules_cube kb_modules_pe kb_modules_rtl kb_contract kb_data kb_address kb_tl kb_kernels_model kb_kernels kb_sw_tensor kb_sw_runtime
    kb_sw_distributed kb_sw_parallel kb_sw_workloads)

# Plug-ins resolve the platform's symbols out of the executable that loads them.
function(kb_runs_plugins target)
  list(JOIN KB_PLUGIN_LIBRARIES "," whole)
  set_target_properties(${target} PROPERTIES
    ENABLE_EXPORTS ON
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin"
    LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,${whole}")
  kb_huge_pages(${target})
  kb_sanitizer_defaults(${target})
endfunction()

function(kb_add_simulation)
  cmake_parse_arguments(ARG "" "NAME;TOPOLOGY;WORKLOAD" "" ${ARGN})
  if(NOT ARG_NAME OR NOT ARG_TOPOLOGY)
    message(FATAL_ERROR "kb_add_simulation needs NAME and TOPOLOGY.")
  endif()
  if(TARGET sim_${ARG_NAME})
    message(FATAL_ERROR "There is a simulation sim_${ARG_NAME} already; rename ${ARG_TOPOLOGY} or give another NAME.")
  endif()
  if(NOT ARG_WORKLOAD)
    set(ARG_WORKLOAD gemm-multi-pe)
  endif()
  set(target sim_${ARG_NAME})
  add_executable(${target} "${KB_SIMULATION_DIR}/simulation_main.cpp")
  target_compile_definitions(${target} PRIVATE KB_PROGRAM_NAME="${target}" KB_DEFAULT_WORKLOAD="${ARG_WORKLOAD}")
  target_link_libraries(${target} PRIVATE kb_sim_cli)
  kb_runs_plugins(${target})
  kb_builtin_topology(${target} "${ARG_TOPOLOGY}")
  set(KB_SIMULATIONS ${KB_SIMULATIONS} ${target} PARENT_SCOPE)
endfunction()
