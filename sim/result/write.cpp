#include "sim/result/write.h"

#include <cctype>
#include <cmath>
#include <cstdlib>

#include "sim/result/inputs.h"
#include "sim/result/tornado.h"
#include "sim/result/why.h"

namespace kb::result {
namespace {

// JSON's number grammar: no leading zeros, plus signs, hexadecimal digits or bare points. A number beyond the range of
// a double is text.
bool is_json_number(const std::string& s) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t first = i;
    while (i < s.size() && std::isdigit(static_cast<unsigned char>(s[i])) != 0) ++i;
    return i - first;
  };
  if (i < s.size() && s[i] == '-') ++i;
  const std::size_t first = i;
  const std::size_t whole = digits();
  if (whole == 0 || (whole > 1 && s[first] == '0')) return false;
  if (i < s.size() && s[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    ++i;
    if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == s.size() && std::isfinite(std::strtod(s.c_str(), nullptr));
}

template <typename Document>
std::string text_of(const Document& document) {
  observe::JsonWriter json;
  Writer(json).put(document);
  return json.str() + '\n';
}

}  // namespace

std::string json_scalar(const std::string& text) {
  return text == "true" || text == "false" || is_json_number(text) ? text : observe::json_string(text);
}

void render(const Result& result, const observe::TextSink& sink) {
  observe::JsonWriter json(sink);
  Writer(json).put(result);
  json.finish();
}

std::string render(const Inputs& inputs) {
  return text_of(inputs);
}

std::string render(const Setup& setup) {
  return text_of(setup);
}

std::string render(const Why& why) {
  return text_of(why);
}

std::string render(const Tornado& tornado) {
  return text_of(tornado);
}

}  // namespace kb::result
