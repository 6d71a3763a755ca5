# The writer of FST waveforms is fstapi.c of GTKWave, which the Debian package verilator has for its own models. Without
# it kernbench writes VCD only. Nothing of it is copied into the sources; it becomes part of the programs.
find_path(KB_FSTAPI_DIR fstapi.c
  HINTS ENV VERILATOR_ROOT
  PATHS /usr/share/verilator /usr/local/share/verilator
  PATH_SUFFIXES include/gtkwave
  NO_DEFAULT_PATH
  DOC "Folder with GTKWave's fstapi.c")
if(KB_FSTAPI_DIR)
  set(_fst_sources "${CMAKE_CURRENT_SOURCE_DIR}/platform/waves/fst_fast_path.cpp" "${KB_FSTAPI_DIR}/fastlz.c" "${KB_FSTAPI_DIR}/lz4.c")
  set_source_files_properties(${_fst_sources} PROPERTIES LANGUAGE CXX)  # as Verilator itself compiles them
  set(KB_FST kb_fst)
  # A program around us may have these libraries, too, from its own Verilator or as liblz4: every name of theirs that a
  # linker would see gets a prefix.
  set(_names "")
  foreach(_source fstapi.h fstapi.c fastlz.h fastlz.c lz4.h lz4.c)
    file(READ "${KB_FSTAPI_DIR}/${_source}" _text)
    string(REGEX MATCHALL "(fst(Reader|Writer|Utility)[A-Z]|Jenkins[A-Z]|LZ4_[a-z]|fastlz_[a-z])[A-Za-z0-9_]*" _found "${_text}")
    list(APPEND _names ${_found})
  endforeach()
  list(REMOVE_DUPLICATES _names)
  list(TRANSFORM _names REPLACE "(.+)" "#define \\1 kb_\\1")
  list(JOIN _names "\n" _names)
  set(_fst_names "${CMAKE_BINARY_DIR}/fst/fst_names.h")
  file(CONFIGURE OUTPUT "${_fst_names}" CONTENT "// Made by KbFst.cmake. Stands before fstapi.h.\n#pragma once\n${_names}\n")
  add_library(kb_fst STATIC ${_fst_sources})
  target_include_directories(kb_fst SYSTEM PUBLIC "$<BUILD_INTERFACE:${KB_FSTAPI_DIR};${CMAKE_BINARY_DIR}/fst>")
  target_include_directories(kb_fst PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_compile_definitions(kb_fst PRIVATE "FST_CONFIG_INCLUDE=\"fst_config.h\"" INTERFACE KB_HAS_FST)
  # Plug-ins have nothing to do with these names, some of which are those of liblz4.
  target_compile_options(kb_fst PRIVATE -w -fvisibility=hidden
    "SHELL:-include \"${CMAKE_CURRENT_SOURCE_DIR}/platform/waves/fst_prelude.h\"" "SHELL:-include \"${_fst_names}\"" $<$<BOOL:${KB_SANITIZE}>:-fno-sanitize=all>)
  set_source_files_properties(${_fst_sources} PROPERTIES
    OBJECT_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/platform/waves/fst_prelude.h")
  target_link_libraries(kb_fst PUBLIC ZLIB::ZLIB PkgConfig::LIBDEFLATE)
else()
  message(STATUS "Waveforms: VCD only; for FST install the package verilator")
endif()
