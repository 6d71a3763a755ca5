# Targets that look at the code: `tidy` (all of it), `tidy-product`, `tidy-core` and `coverage-report`. Their tools are not
# needed for a build.
find_program(KB_RUN_CLANG_TIDY run-clang-tidy)
if(KB_RUN_CLANG_TIDY)
  # Only our sources: not what the build generates from topology files.
  # `tidy-core`: the blocks, and what they are made of, with every header that these include; three minutes on two cores.
  foreach(target_and_folders "tidy:platform|modules|kernels|sw|sim|tests|speed_tests" "tidy-product:platform|modules|kernels|sw|sim"
      "tidy-core:platform/(elab|payload)|modules/(fabric|pe|cube|command|io|kit)")
    string(REPLACE ":" ";" pair "${target_and_folders}")
    list(GET pair 0 target)
    list(GET pair 1 folders)
    add_custom_target(${target}
      COMMAND ${KB_RUN_CLANG_TIDY} -quiet -p "${CMAKE_BINARY_DIR}" "^${CMAKE_SOURCE_DIR}/(${folders})/"
      WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
      USES_TERMINAL VERBATIM)
  endforeach()
else()
  foreach(target tidy tidy-product tidy-core)
    add_custom_target(${target}
      COMMAND ${CMAKE_COMMAND} -E echo "clang-tidy is not installed: apt-get install clang-tidy"
      COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
  endforeach()
endif()

if(KB_COVERAGE)
  find_program(KB_GCOVR gcovr)
  if(KB_GCOVR)
    add_custom_target(coverage-report
      COMMAND ${CMAKE_COMMAND} -E make_directory "${CMAKE_BINARY_DIR}/coverage"
      COMMAND ${KB_GCOVR} --root "${CMAKE_SOURCE_DIR}" --filter platform/ --filter modules/ --filter kernels/
              --filter sw/ --filter sim/ --sort-percentage --txt
              --html-details "${CMAKE_BINARY_DIR}/coverage/index.html" "${CMAKE_BINARY_DIR}"
      COMMAND ${CMAKE_COMMAND} -E echo "line by line: ${CMAKE_BINARY_DIR}/coverage/index.html"
      WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
      USES_TERMINAL VERBATIM)
  else()
    add_custom_target(coverage-report
      COMMAND ${CMAKE_COMMAND} -E echo "gcovr is not installed: apt-get install gcovr"
      COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
  endif()
endif()
