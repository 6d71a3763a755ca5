# cmake -DINPUT=file.yaml -DNAME=shown-name -DOUTPUT=out.cpp -DFOLDER=sim/cli -DNAMESPACE=kb::cli -P embed_topology.cmake
# defines NAMESPACE::builtin_topology() of FOLDER/builtin_topology.h.
file(READ "${INPUT}" text)
set(delimiter "kb_yaml")
file(WRITE "${OUTPUT}" "// Made from ${NAME}; do not edit.
#include \"${FOLDER}/builtin_topology.h\"

namespace ${NAMESPACE} {

BuiltinTopology builtin_topology() {
  return {\"${NAME}\", R\"${delimiter}(${text})${delimiter}\"};
}

}  // namespace ${NAMESPACE}
")
