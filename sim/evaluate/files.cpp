#include "sim/evaluate/files.h"

#include <fstream>
#include <sstream>

#include "platform/observe/output_file.h"

namespace kb::evaluate {

std::string read_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_file(const std::string& file, const std::string& text, const std::string& purpose) {
  observe::OutputFile out(file, purpose);
  out.write(text);
  out.commit();
}

}  // namespace kb::evaluate
