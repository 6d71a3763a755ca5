# Tests read FST waveforms with fstapi.c of GTKWave, which the Debian package verilator has for its own models. Without it
# they read them with fst2vcd, where that is installed. Nothing of it is part of a program.
find_path(KB_FSTAPI_DIR fstapi.c
  HINTS ENV VERILATOR_ROOT
  PATHS /usr/share/verilator /usr/local/share/verilator
  PATH_SUFFIXES include/gtkwave
  NO_DEFAULT_PATH
  DOC "Folder with GTKWave's fstapi.c")
if(KB_FSTAPI_DIR)
  set(_fst_sources "${KB_FSTAPI_DIR}/fstapi.c" "${KB_FSTAPI_DIR}/fastlz.c" "${KB_FSTAPI_DIR}/lz4.c")
  set_source_files_properties(${_fst_sources} PROPERTIES LANGUAGE CXX)  # as Verilator itself compiles them
  set(KB_FST kb_fst)
  add_library(kb_fst STATIC EXCLUDE_FROM_ALL ${_fst_sources})
  target_include_directories(kb_fst SYSTEM PUBLIC "${KB_FSTAPI_DIR}")
  target_compile_definitions(kb_fst PRIVATE "FST_CONFIG_INCLUDE=\"fst_config.h\"" INTERFACE KB_HAS_FST)
  target_compile_options(kb_fst PRIVATE -w $<$<BOOL:${KB_SANITIZE}>:-fno-sanitize=all>)
  target_link_libraries(kb_fst PUBLIC ZLIB::ZLIB)
else()
  set(KB_FST "")
endif()
