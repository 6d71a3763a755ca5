# cmake -DINPUT=file.yaml -DNAME=shown-name -DOUTPUT=out.cpp -P embed_topology.cmake
file(READ "${INPUT}" text)
set(delimiter "kb_yaml")
file(WRITE "${OUTPUT}" "// Made from ${NAME}; do not edit.
#include \"sim/cli/builtin_topology.h\"

namespace kb::cli {

BuiltinTopology builtin_topology() {
  return {\"${NAME}\", R\"${delimiter}(${text})${delimiter}\"};
}

}  // namespace kb::cli
")
