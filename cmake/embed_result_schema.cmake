# cmake -DINPUT=result.schema.json -DOUTPUT=out.cpp -P embed_result_schema.cmake
file(READ "${INPUT}" text)
file(WRITE "${OUTPUT}" "// Made from docs/schema/result.schema.json; do not edit.
#include \"sim/cli/result_schema.h\"

namespace kb::cli {

std::string result_schema() {
  return R\"kb_json(${text})kb_json\";
}

}  // namespace kb::cli
")
