# `cpack` in the build folder makes a Debian package of what `cmake --install` installs; it needs dpkg-dev and file.
install(FILES "${CMAKE_SOURCE_DIR}/README.md" "${CMAKE_SOURCE_DIR}/CHANGELOG.md" "${CMAKE_SOURCE_DIR}/LICENSE"
  "${CMAKE_SOURCE_DIR}/NOTICE.md" DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY "${CMAKE_SOURCE_DIR}/docs" "${CMAKE_SOURCE_DIR}/examples" DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Shells look for these files by themselves.
install(CODE "
  set(_share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
  foreach(_place \"bash;bash-completion/completions/kernbench\" \"zsh;zsh/vendor-completions/_kernbench\")
    list(GET _place 0 _shell)
    list(GET _place 1 _file)
    get_filename_component(_folder \"\${_share}/\${_file}\" DIRECTORY)
    file(MAKE_DIRECTORY \"\${_folder}\")
    execute_process(COMMAND \"$<TARGET_FILE:kernbench>\" completion \${_shell} OUTPUT_FILE \"\${_share}/\${_file}\"
                    COMMAND_ERROR_IS_FATAL ANY)
  endforeach()")
# Manual pages of what the program says about itself.
find_program(KB_HELP2MAN help2man)
mark_as_advanced(KB_HELP2MAN)
if(KB_HELP2MAN)
  install(CODE "
    execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DPROGRAM=$<TARGET_FILE:kernbench>\" -DVERSION=${PROJECT_VERSION}
        \"-DHELP2MAN=${KB_HELP2MAN}\" \"-DOUTPUT=\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\"
        -P \"${CMAKE_SOURCE_DIR}/cmake/man_pages.cmake\"
      COMMAND_ERROR_IS_FATAL ANY)")
else()
  message(STATUS "help2man was not found: no man pages will be installed. For them: apt-get install help2man")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "kernbench")
set(CPACK_PACKAGE_CONTACT "the kernbench authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "SystemC/TLM-2.0 virtual platform of a multi-die AI accelerator")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gnuplot-nox")
include(CPack)
