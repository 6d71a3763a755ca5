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
  add_library(kb_fst STATIC ${_fst_sources})
  target_include_directories(kb_fst SYSTEM PUBLIC "$<BUILD_INTERFACE:${KB_FSTAPI_DIR}>")
  target_include_directories(kb_fst PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_compile_definitions(kb_fst PRIVATE "FST_CONFIG_INCLUDE=\"fst_config.h\"" INTERFACE KB_HAS_FST)
  # Plug-ins have nothing to do with these names, some of which are those of liblz4.
  target_compile_options(kb_fst PRIVATE -w -fvisibility=hidden
    -include "${CMAKE_CURRENT_SOURCE_DIR}/platform/waves/fst_prelude.h" $<$<BOOL:${KB_SANITIZE}>:-fno-sanitize=all>)
  set_source_files_properties(${_fst_sources} PROPERTIES
    OBJECT_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/platform/waves/fst_prelude.h")
  target_link_libraries(kb_fst PUBLIC ZLIB::ZLIB PkgConfig::LIBDEFLATE)
else()
  message(STATUS "Waveforms: VCD only; for FST install the package verilator")
endif()
