# cmake "-DINPUTS=a.html;b.js" -DOUTPUT=out.cpp -P embed_assets.cmake
# "index.html" is served as "/", every other file under its name.
set(type.html "text/html")
set(type.js "text/javascript")
set(type.css "text/css")
set(type.svg "image/svg+xml")
set(arrays "")
set(table "")
set(number 0)
foreach(input IN LISTS INPUTS)
  get_filename_component(name "${input}" NAME)
  get_filename_component(ending "${input}" LAST_EXT)
  if(NOT DEFINED "type${ending}")
    message(FATAL_ERROR "${input}: no content type is known for ${ending}; add it to embed_assets.cmake")
  endif()
  set(type "${type${ending}}; charset=utf-8")
  file(READ "${input}" bytes HEX)
  string(LENGTH "${bytes}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  set(path "/${name}")
  if(name STREQUAL "index.html")
    set(path "/")
  endif()
  string(APPEND arrays "const unsigned char file${number}[] = {\n${bytes}};\n")
  string(APPEND table "      {\"${path}\", \"${type}\", text(file${number}, ${length})},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made from web/dist; do not edit.
#include \"sim/web/assets.h\"

#include <cstddef>

namespace kb::web {
namespace {

${arrays}
std::string_view text(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

const std::vector<Asset>& assets() {
  static const std::vector<Asset> all = {
${table}  };
  return all;
}

}  // namespace kb::web
")
