#include "sim/result/line_record.h"

namespace kb::sim {

std::string SourcePlace::position() const {
  if (line == 0) return "";
  const std::size_t slash = file.rfind('/');
  return (slash == std::string::npos ? file : file.substr(slash + 1)) + ':' + std::to_string(line);
}

std::string SourcePlace::text() const {
  return line == 0 ? "" : position() + ' ' + call;
}

}  // namespace kb::sim
