# Targets that look at the code: `tidy` and `coverage-report`. Their tools are not needed for a build.
find_program(KB_RUN_CLANG_TIDY run-clang-tidy)
if(KB_RUN_CLANG_TIDY)
  # Only our sources: not what the build generates from topology files.
  add_custom_target(tidy
    COMMAND ${KB_RUN_CLANG_TIDY} -quiet -p "${CMAKE_BINARY_DIR}"
            "^${CMAKE_SOURCE_DIR}/(platform|modules|kernels|sw|sim|tests|speed_tests)/"
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    USES_TERMINAL VERBATIM)
else()
  add_custom_target(tidy
    COMMAND ${CMAKE_COMMAND} -E echo "clang-tidy is not installed: apt-get install clang-tidy"
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
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
