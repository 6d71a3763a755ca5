#include "tests/robustness/generated_input.h"

#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

namespace kb::robustness {
namespace {

// Each level holds nine times the one before: nine levels are 387 million nodes when aliases are copied.
std::string alias_bomb(std::size_t levels) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (std::size_t i = 1; i < levels; ++i) {
    const std::string name = "a" + std::to_string(i), before = "*a" + std::to_string(i - 1);
    text += name + ": &" + name + " [";
    for (int k = 0; k < 9; ++k) text += (k == 0 ? "" : ", ") + before;
    text += "]\n";
  }
  return text;
}

std::string unknown_keys(std::size_t count) {
  std::string text = "system:\n  sips: { count: 1 }\n";
  for (std::size_t i = 0; i < count; ++i) text += "  unknown_key_" + std::to_string(i) + ": 1\n";
  return text;
}

std::string io_chiplets(std::size_t count) {
  std::string text = "sip: { io_chiplets: [1";
  for (std::size_t i = 1; i < count; ++i) text += ",1";
  return text + "] }\n";
}

std::string nested_lists(std::size_t depth) {
  return "system: " + std::string(depth, '[') + std::string(depth, ']') + "\n";
}

std::string nested_json(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']') + "\n";
}

std::string long_scalar(std::size_t size) {
  return "system: { sips: { count: " + std::string(size, '1') + " } }\n";
}

std::string trace_rows(std::size_t count) {
  std::string text = "id,issue_ns,op,src,dst,bytes\n";
  for (std::size_t i = 0; i < count; ++i) text += std::to_string(i) + ",0,pe_read,sip0.cube0.pe99,0x0,1\n";
  return text;
}

using Generator = std::function<std::string(std::size_t)>;
const std::map<std::string, Generator>& generators() {
  static const std::map<std::string, Generator> all = {{"alias_bomb", alias_bomb},      {"unknown_keys", unknown_keys},
                                                       {"io_chiplets", io_chiplets},    {"nested_lists", nested_lists},
                                                       {"nested_json", nested_json},    {"long_scalar", long_scalar},
                                                       {"wrong_trace_rows", trace_rows}};
  return all;
}

}  // namespace

GeneratedInput generated_input(const std::string& line) {
  std::istringstream words(line);
  GeneratedInput input;
  std::string kind;
  std::size_t count = 0;
  words >> input.file >> kind >> count;
  const auto found = generators().find(kind);
  if (found == generators().end()) {
    std::string known;
    for (const auto& [name, ignored] : generators()) known += (known.empty() ? "" : ", ") + name;
    throw std::runtime_error("generate " + line + ": '" + kind + "' is unknown; known: " + known);
  }
  input.text = found->second(count);
  return input;
}

}  // namespace kb::robustness
