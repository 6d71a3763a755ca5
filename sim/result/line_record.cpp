#include "sim/result/line_record.h"

#include "platform/contract/source_line.h"

namespace kb::sim {

std::string SourcePlace::position() const {
  return contract::position_text(file, line);
}

std::string SourcePlace::text() const {
  return line == 0 ? "" : position() + ' ' + call;
}

}  // namespace kb::sim
