#include "platform/contract/source_line.h"

#include <fmt/format.h>

namespace kb::contract {

std::string position_text(std::string_view file, std::int64_t line) {
  if (line == 0) return "";
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line);  // npos + 1 is 0
}

std::string call_text(std::string_view call, std::uint64_t index, const SourceLine& at) {
  const std::string position = position_text(at.file(), at.line());
  return fmt::format("tl.{} #{}{}{}", call, index, position.empty() ? "" : " at ", position);
}

}  // namespace kb::contract
