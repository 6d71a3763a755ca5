# cmake -DLIST=files.txt -DROOT=folder -DOUTSIDE=text -DOUTPUT=out.cpp -P timing_digest.cmake
# defines kb::step::timing_digest() of sim/study/step/timing_digest.h: SHA-256 over names and contents of the listed files
# and over OUTSIDE.
file(STRINGS "${LIST}" names)
set(text "${OUTSIDE}\n")
foreach(name ${names})
  file(SHA256 "${ROOT}/${name}" content)
  string(APPEND text "${name} ${content}\n")
endforeach()
string(SHA256 digest "${text}")
file(WRITE "${OUTPUT}" "// Made by cmake/timing_digest.cmake; do not edit.
#include \"sim/study/step/timing_digest.h\"

const char* kb::step::timing_digest() noexcept {
  return \"${digest}\";
}
")
