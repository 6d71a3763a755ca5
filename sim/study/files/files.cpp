#include "sim/study/files/files.h"

#include <fstream>
#include <vector>

#include "platform/observe/output_file.h"

namespace kb::files {

std::string read_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text;
  std::vector<char> part(std::size_t{1} << 16);
  while (in.read(part.data(), static_cast<std::streamsize>(part.size())) || in.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  return text;
}

void write_file(const std::string& file, const std::string& text, const std::string& purpose) {
  observe::OutputFile out(file, purpose);
  out.write(text);
  out.commit();
}

}  // namespace kb::files
